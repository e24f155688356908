#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "all_strategies.h"
#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/train.h"
#include "bench/case/training_trace.h"
#include "catch.h"
#include "failure.h"
#include "file_digest.h"
#include "long_epochs.h"
#include "on_streams.h"
#include "resumed_runs.h"
#include "runtime/checkpoint/checkpoint.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

namespace fs = std::filesystem;

/// Creates a file at the validation of a step, and records.
class StoppingProgress final : public Progress {
 public:
  StoppingProgress(std::string stop_file, std::int64_t at_step) : stop_file_(std::move(stop_file)), at_step_(at_step) {}
  void alive(const std::string&, double) override {}
  void epoch(const EpochRecord& record) override { epochs.push_back(record); }
  void validation(const ValidationRecord& record) override {
    validations.push_back(record);
    if (record.step == at_step_) std::ofstream(stop_file_) << "";
  }
  void rank(const RankRecord&) override {}

  std::vector<EpochRecord> epochs;
  std::vector<ValidationRecord> validations;

 private:
  std::string stop_file_;
  std::int64_t at_step_;
};

SmallCase long_epochs(const StrategyRun& way, const std::string& folder = "") {
  SmallCase small = test::with_long_epochs(four_layers(way.strategy, way.ranks, way.options));
  small.experiment.training.checkpoint.save = folder;
  return small;
}

std::string interruption_of(const SmallCase& small, Progress& progress) {
  return test::failure_of<Interrupted>([&] { run_case(small.experiment, small.which, "", progress); });
}

std::optional<ResumePoint> newest(const SmallCase& small, std::vector<std::string>& notes,
                                  std::optional<std::int64_t> recorded = {}) {
  return newest_checkpoint(small.experiment.training.checkpoint.save, small.which.id, small.which.contract_id, notes,
                           recorded);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

/// Notes the metrics of all validations, by step.
void note(const auto& progress, std::map<std::int64_t, std::string>& metrics) {
  for (const EpochRecord& record : progress.epochs) metrics[record.step.value()] = test::metrics_of(record);
  for (const ValidationRecord& record : progress.validations) metrics[record.step] = test::metrics_of(record);
}

/// Returns the weights saved within epochs.
std::vector<std::string> step_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& name : files_in(folder)) {
    const bool weights = name.find("-step-") != std::string::npos && name.find(".state.") == std::string::npos;
    if (weights) paths.push_back(folder + "/" + name);
  }
  return paths;
}

/// Changes one bit of the last tensor.
void damage(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-1, std::ios::end);
  const char last = static_cast<char>(file.get() ^ 1);
  file.seekp(-1, std::ios::end);
  file.put(last);
}

constexpr const char* with_dropout = R"({
  "name": "dropped", "sample": {"shape": [1, 8, 8], "classes": 4},
  "layers": [
    {"kind": "conv2d", "name": "conv1", "channels": 4, "kernel": 3, "padding": 1, "bias": false},
    {"kind": "batch_norm", "name": "bn1", "activation": "relu"},
    {"kind": "flatten"},
    {"kind": "dropout", "rate": 0.2},
    {"kind": "linear", "name": "fc", "features": "$classes"}
  ]
})";

}  // namespace

TEST_CASE("Every strategy, cut at a random step and resumed, ends as if uninterrupted, to the bit", "[case]") {
  std::int64_t redone = 0;
  const std::string differences = test::differences_after_crashes(1, 8, 1, 1, redone);
  CHECK(differences == "");
  CHECK(redone == 3);  // the most, with up to four steps between two saves
}

TEST_CASE("Dropout, batch norm and a schedule continue within an epoch", "[case]") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "network.json") << with_dropout;
  std::int64_t redone = 0;
  std::string differences;
  for (const StrategyRun& way :
       {StrategyRun{"single", 1, parts(1)}, StrategyRun{"ddp", 2, parts(1)}, StrategyRun{"zero", 3, zero(3, 1)},
        StrategyRun{"balanced", 3, {{"speeds", Integers{3, 2, 1}}}}}) {
    SmallCase small = long_epochs(way);
    small.experiment.workload.model = {"graph", {{"file", folder / "network.json"}}};
    small.experiment.training.rate.schedule = {"cosine", {{"minimum", 0.0}, {"cycles", std::int64_t{1}}}};
    differences += test::difference_after_crashes(small, static_cast<std::uint64_t>(way.ranks), 3, redone);
  }
  CHECK(differences == "");
}

TEST_CASE("The order of an epoch without its first batches is its rest", "[case]") {
  const SmallCase small = long_epochs({"single", 1, parts(1)});
  const Setup setup = prepare(small.experiment, small.which);
  const std::vector<workloads::SampleDraw> whole = training_epoch(setup, 1), rest = training_epoch(setup, 1, 2);
  REQUIRE(whole.size() == 240);
  REQUIRE(rest.size() == 3 * 48);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    CHECK(rest[i].index == whole[i + 96].index);
    CHECK(rest[i].key == whole[i + 96].key);
  }
  CHECK(training_epoch(setup, 1, 5).empty());
}

TEST_CASE("A training asked to stop ends after the step, with a checkpoint that it continues from", "[case]") {
  for (const StrategyRun& way : std::vector<StrategyRun>{{"single", 1, parts(1)}, {"1f1b", 2, parts(4)}}) {
    const test::TemporaryFolder folder;
    SmallCase whole = long_epochs(way, folder / "whole");
    whole.experiment.training.target = {{}, 1.0, 2};  // validates every other step
    const RecordedProgress at_once = recorded_run(whole);
    REQUIRE(at_once.validations.size() == 6);

    SmallCase stopped = whole;
    stopped.experiment.training.checkpoint.save = folder / "stopped";
    stopped.which.stop_file = folder / "stop";
    StoppingProgress heard(stopped.which.stop_file, 6);
    const std::string why = interruption_of(stopped, heard);
    std::vector<std::string> notes;
    const auto point = newest(stopped, notes, static_cast<std::int64_t>(heard.epochs.size()));
    REQUIRE(point.has_value());
    CHECK(point->steps >= 6);
    CHECK(why.find("stopped after step " + std::to_string(point->steps) + " in epoch ") == 0);
    CHECK(why.find("with the checkpoint " + point->path) != std::string::npos);

    fs::remove(stopped.which.stop_file);
    stopped.which.resume_from = point->path;
    const RecordedProgress rest = recorded_run(stopped);
    std::map<std::int64_t, std::string> expected, found;
    note(at_once, expected);
    note(heard, found);
    note(rest, found);
    CHECK(found == expected);
    CHECK(test::digest_of_file(epoch_file(folder / "stopped", whole.which.id, 3)) ==
          test::digest_of_file(epoch_file(folder / "whole", whole.which.id, 3)));
    CHECK(rest.fractions.back() <= 1);
  }
}

TEST_CASE("A training that is to stop from the beginning does one step", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"ddp", 2, parts(1)}, folder / "saved");
  small.which.stop_file = folder / "stop";
  std::ofstream(small.which.stop_file) << "";
  RecordedProgress heard;
  const std::string path = step_file(folder / "saved", small.which.id, 1);
  CHECK(interruption_of(small, heard) == "stopped after step 1 in epoch 1, with the checkpoint " + path);
  CHECK(files_in(folder / "saved").size() == 2);
  small.experiment.training.checkpoint.save = "";
  CHECK(interruption_of(small, heard) ==
        "stopped after step 1 in epoch 1, without a checkpoint, because training/checkpoint/save is not set");
  fs::remove(small.which.stop_file);
  SmallCase other = small;  // as a user resumes it: loaded weights make it another contract
  other.which.contract_id = "other";
  other.experiment.training.checkpoint = {.save = folder / "saved", .load = path, .resume = true};
  require_own_checkpoints(other.experiment, {other.which});
  CHECK(recorded_run(other).epochs.size() == 3);
  CHECK(fs::exists(path));
  small.which.resume_from = path;
  CHECK(recorded_run(small).epochs.size() == 3);
}

TEST_CASE("A training asked to stop on streams continues to the bit", "[streams]") {
  for (const bool on_stream : {false, true}) {
    for (const StrategyRun& way : std::vector<StrategyRun>{{"ddp", 2, parts(1)}, {"zero", 2, zero(3, 1)}}) {
      const test::TemporaryFolder folder;
      SmallCase small = long_epochs(way, folder / "saved");
      make_checkpoint_folder(small.experiment.training.checkpoint);
      small.which.stop_file = folder / "stop";
      const Setup whole = prepare(small.experiment, small.which);
      const std::vector<double> expected = epochs_on(small, whole, reference());
      std::ofstream(small.which.stop_file) << "";
      CHECK_THROWS_AS(epochs_on(small, whole, queues(5, on_stream)), Interrupted);
      fs::remove(small.which.stop_file);
      small.experiment.training.checkpoint.every_steps = 2;
      small.which.resume_from = step_file(folder / "saved", small.which.id, 1);
      const Setup rest = prepare(small.experiment, small.which);
      CHECK(epochs_on(small, rest, queues(6, on_stream)) == expected);
    }
  }
}

TEST_CASE("Within epochs the newest checkpoint remains, also by time", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"ddp", 2, parts(1)}, folder / "by-steps");
  small.experiment.training.checkpoint.every_epochs = 3;
  small.experiment.training.checkpoint.every_steps = 4;
  small.experiment.training.target = {{}, 1.0, 14};
  small.which.stop_file = folder / "stop";
  StoppingProgress stopping(small.which.stop_file, 14);
  small.experiment.training.epochs = 30;  // does not reach its end
  interruption_of(small, stopping);
  std::vector<std::string> notes;
  const auto point = newest(small, notes);
  REQUIRE(point.has_value());
  CHECK(point->epochs * 5 < point->steps);
  CHECK(step_files(folder / "by-steps") == std::vector<std::string>{point->path});

  fs::remove(small.which.stop_file);
  small.which.stop_file = "";
  small.experiment.training.target = {};
  small.experiment.training.epochs = 3;
  small.experiment.training.checkpoint = {.save = folder / "by-time", .every_epochs = 3, .every_seconds = 1e-9};
  RecordedProgress heard = recorded_run(small);
  const std::string last = small.which.id + "-epoch-3.";
  CHECK(files_in(folder / "by-time") == std::vector<std::string>{last + "safetensors", last + "state.safetensors"});
  CHECK(std::count(heard.phases.begin(), heard.phases.end(), "save") >= 3);  // more than at the end alone
}

TEST_CASE("A damaged newest checkpoint falls back to the one before", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"single", 1, parts(1)}, folder / "saved");
  small.experiment.training.epochs = 1;
  recorded_run(small);
  SmallCase rest = small;
  rest.experiment.training.epochs = 3;
  rest.experiment.training.checkpoint.load = epoch_file(folder / "saved", small.which.id, 1);
  rest.experiment.training.checkpoint.resume = true;
  rest.which.stop_file = folder / "stop";
  std::ofstream(rest.which.stop_file) << "";
  RecordedProgress heard;
  interruption_of(rest, heard);
  std::vector<std::string> notes;
  const auto best = newest(small, notes);
  REQUIRE((best.has_value() && notes.empty()));
  CHECK(best->path == step_file(folder / "saved", small.which.id, 6));
  damage(runtime::state_path(best->path));
  const auto before = newest(small, notes);
  REQUIRE(before.has_value());
  CHECK(before->steps == 5);
  CHECK(before->path == epoch_file(folder / "saved", small.which.id, 1));
  REQUIRE(notes.size() == 1);
  test::check_says(notes[0], "were changed since they were written");

  std::ofstream(best->path) << "short";
  notes.clear();
  CHECK(newest(small, notes)->path == before->path);
  CHECK(notes.size() == 1);
  notes.clear();
  CHECK_FALSE(newest(small, notes, -1).has_value());  // no record at all
  small.which.contract_id = "other";
  notes.clear();
  CHECK_FALSE(newest(small, notes).has_value());
  test::check_says(notes.front(), "is from another training");
  small.experiment.training.checkpoint.save = folder / "nowhere";
  CHECK_FALSE(newest(small, notes).has_value());
}

TEST_CASE("A whole epoch that was not recorded is validated again, also the last one", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"zero", 2, zero(1, 1)}, folder / "saved");
  const RecordedProgress whole = recorded_run(small);
  std::vector<std::string> notes;
  CHECK(newest(small, notes, 0)->epochs == 1);
  CHECK(newest(small, notes, 1)->epochs == 2);
  CHECK(newest(small, notes, 3)->epochs == 3);
  for (const int epochs : {3, 2}) {
    small.which.resume_from = epoch_file(folder / "saved", small.which.id, epochs);
    const RecordedProgress again = recorded_run(small);
    REQUIRE(again.epochs.size() == static_cast<std::size_t>(4 - epochs));
    const EpochRecord &one = again.epochs[0], &other = whole.epochs[static_cast<std::size_t>(epochs) - 1];
    CHECK(test::metrics_of(one) == test::metrics_of(other));
    CHECK(one.epoch_seconds == other.epoch_seconds);
    CHECK(one.trained_seconds == other.trained_seconds);
  }
}

TEST_CASE("A request to stop during a validation keeps the training before it", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"gpipe", 2, parts(4)}, folder / "saved");
  const RecordedProgress whole = recorded_run(small);
  const std::string expected = test::digest_of_file(epoch_file(folder / "saved", small.which.id, 3));
  small.which.resume_from = epoch_file(folder / "saved", small.which.id, 1);  // begins with the validation
  small.which.stop_file = folder / "stop";
  small.experiment.training.checkpoint = {.save = folder / "stopped", .every_epochs = 3};
  std::ofstream(small.which.stop_file) << "";
  RecordedProgress heard;
  const std::string path = step_file(folder / "stopped", small.which.id, 5);
  CHECK(interruption_of(small, heard) == "stopped after step 5 in epoch 1, with the checkpoint " + path);
  CHECK(heard.epochs.empty());

  fs::remove(small.which.stop_file);
  small.which.resume_from = path;
  const RecordedProgress rest = recorded_run(small);
  REQUIRE(rest.epochs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(test::metrics_of(rest.epochs[i]) == test::metrics_of(whole.epochs[i]));
  CHECK(test::digest_of_file(epoch_file(folder / "stopped", small.which.id, 3)) == expected);
  CHECK_FALSE(fs::exists(path));

  small.which.visit_steps = 2;  // trains nothing, so it needs no checkpoint
  CHECK(recorded_run(small).epochs.empty());
}

TEST_CASE("A file without the losses of its epoch cannot be resumed within the epoch", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"single", 1, parts(1)});
  small.experiment.resolved = R"({"training": {}})";
  write_training_trace(prepare(small.experiment, small.which), 3, folder / "trace");
  small.experiment.training.checkpoint = {.load = folder / "trace/final.safetensors", .resume = true};
  const std::string why = "was saved after step 3 without the losses of its epoch";
  test::check_says(test::failure_of<workloads::BadData>([&] { prepare(small.experiment, small.which); }), why);
  small.experiment.training.checkpoint = {};
  small.which.resume_from = folder / "trace/final.safetensors";
  test::check_says(test::failure_of<workloads::BadData>([&] { prepare(small.experiment, small.which); }), why);
}

TEST_CASE("Another number of ranks resumes within an epoch, and its losses agree up to rounding", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = long_epochs({"ddp", 3, parts(1)}, folder / "saved");
  const RecordedProgress whole = recorded_run(small);
  small.which.stop_file = folder / "stop";
  small.experiment.training.checkpoint.save = folder / "stopped";
  std::ofstream(small.which.stop_file) << "";
  RecordedProgress heard;
  interruption_of(small, heard);
  SmallCase other = long_epochs({"gpipe", 2, parts(4)});
  other.experiment.training.checkpoint.load = step_file(folder / "stopped", small.which.id, 1);
  other.experiment.training.checkpoint.resume = true;
  const RecordedProgress rest = recorded_run(other);
  REQUIRE(rest.epochs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(rest.epochs[i].train_loss == Approx(whole.epochs[i].train_loss).epsilon(1e-4));
    CHECK(rest.epochs[i].step == whole.epochs[i].step);
  }

  other.experiment.workload.dataset.options["train_samples"] = std::int64_t{300};  // 6 steps per epoch
  test::check_says(test::failure_of<workloads::BadData>([&] { prepare(other.experiment, other.which); }),
                   "was saved after 1 steps in 0 epochs, but here an epoch has 6 steps");
}
