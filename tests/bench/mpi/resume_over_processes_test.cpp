// A case over processes must resume within an epoch to the bit, and end on request in all processes.

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "../case/all_strategies.h"
#include "../case/dice.h"
#include "../case/long_epochs.h"
#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/train.h"
#include "catch.h"
#include "comm/all_gather.h"
#include "comm/process_place.h"
#include "failure.h"
#include "file_digest.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// A folder of rank 0, whose name all processes know.
class SharedFolder {
 public:
  SharedFolder() {
    comm::find_transport("mpi").launch(comm::process_place()->size, {}, [this](comm::Communicator& world) {
      if (world.rank() == 0) folder_.emplace();
      const std::string own = folder_ ? folder_->path() : "";
      const std::vector<char> name = comm::all_gather<char>(world, {own.begin(), own.end()})[0];
      path_.assign(name.begin(), name.end());
    });
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::optional<test::TemporaryFolder> folder_;
  std::string path_;
};

/// Records, and fails at the validation of a step.
class FailingProgress final : public Progress {
 public:
  explicit FailingProgress(std::int64_t fails_at) : fails_at_(fails_at) {}
  void alive(const std::string&, double) override {}
  void epoch(const EpochRecord& record) override { note(record.step.value(), test::metrics_of(record)); }
  void validation(const ValidationRecord& record) override { note(record.step, test::metrics_of(record)); }
  void rank(const RankRecord&) override {}

  std::map<std::int64_t, std::string> metrics;

 private:
  void note(std::int64_t step, const std::string& text) {
    if (step == fails_at_) throw InputError("cut");
    metrics[step] = text;
  }
  std::int64_t fails_at_;
};

/// Returns the case over processes, with a validation after each of its fifteen steps.
SmallCase over_processes(SmallCase small) {
  small = test::with_long_epochs(std::move(small));
  small.experiment.devices.transport = "mpi";
  small.experiment.devices.collectives = "ring";
  small.experiment.training.target = {{}, 1.0, 1};
  return small;
}

std::vector<SmallCase> cases_to_cut(int processes) {
  const OptionValues zero{{"stage", std::int64_t{3}}}, parts{{"microbatches", std::int64_t{4}}};
  const OptionValues hybrid{{"mesh", AxisSizes{{"data", 2}, {"pipeline", 2}}}, {"microbatches", std::int64_t{2}}};
  if (processes < 2) return {over_processes(SmallCase("single", 1, {}))};
  if (processes < 4) {
    return {over_processes(SmallCase("ddp", 2, {})), over_processes(SmallCase("tensor", 2, {})),
            over_processes(SmallCase("1f1b", 2, parts)), over_processes(SmallCase("zero", 2, zero))};
  }
  return {over_processes(SmallCase("hybrid", 4, hybrid)), over_processes(SmallCase("zero", 4, zero))};
}

struct Cut {
  std::int64_t step = 0, every_steps = 1;  ///< when it fails, and how often it saves before
};

/// Returns cuts at each of these of its fifteen steps.
std::vector<Cut> cuts_at(const std::vector<std::int64_t>& steps) {
  std::vector<Cut> cuts;
  for (const std::int64_t step : steps) cuts.push_back({step, 1 + step % 4});
  return cuts;
}

std::vector<Cut> random_cuts(int count, std::uint64_t seed) {
  test::Dice dice(seed);
  std::vector<Cut> cuts;
  for (int i = 0; i < count; ++i) cuts.push_back({1 + dice.below(15), 1 + dice.below(4)});
  return cuts;
}

/// Trains the case without interruption, and then with each of the cuts, after which it continues from its newest
/// checkpoint.
void cut_and_resume(SmallCase small, const std::vector<Cut>& cuts, const SharedFolder& folder) {
  INFO(small.which.id);
  small.experiment.training.checkpoint.save = folder / "whole";
  const std::int64_t epochs = small.experiment.training.epochs;
  FailingProgress whole(-1);
  run_case(small.experiment, small.which, "", whole);
  for (const auto& [step, every_steps] : cuts) {
    INFO("cut at " << step << ", saved every " << every_steps);
    SmallCase cut = small;
    cut.experiment.training.checkpoint.save = folder / ("cut" + std::to_string(step));
    cut.experiment.training.checkpoint.every_steps = every_steps;
    FailingProgress first(step), second(-1);
    CHECK_THROWS_AS(run_case(cut.experiment, cut.which, "", first), InputError);
    std::vector<std::string> notes;
    const std::string& saved = cut.experiment.training.checkpoint.save;
    const auto point = newest_checkpoint(saved, cut.which.id, "contract", notes);
    if (point) cut.which.resume_from = point->path;
    run_case(cut.experiment, cut.which, "", second);
    if (comm::process_place()->rank != 0) continue;
    CHECK(test::digest_of_file(epoch_file(saved, cut.which.id, epochs)) ==
          test::digest_of_file(epoch_file(folder / "whole", cut.which.id, epochs)));
    std::filesystem::remove_all(saved);
    CHECK(notes.empty());
    const std::int64_t resumed = point ? point->steps : 0;
    CHECK(resumed >= step - step % every_steps);
    first.metrics.merge(second.metrics);
    CHECK(first.metrics == whole.metrics);
    CHECK(second.metrics.size() <= 15);
  }
  if (comm::process_place()->rank == 0) std::filesystem::remove_all(folder / "whole");
}

}  // namespace

TEST_CASE("a case over processes that is cut and resumed has the losses of an uninterrupted one, to the bit") {
  // Four processes on few cores take seconds for each case.
  const int processes = comm::process_place()->size;
  const std::vector<Cut> cuts =
      cuts_at(processes < 4 ? std::vector<std::int64_t>{4, 8, 15} : std::vector<std::int64_t>{8});
  const SharedFolder folder;
  for (const SmallCase& small : cases_to_cut(processes)) cut_and_resume(small, cuts, folder);
}

TEST_CASE("every strategy over processes, cut at random steps and resumed, ends as if uninterrupted, to the bit",
          "[.slow]") {
  constexpr int fewest_cuts = 20;  // of each strategy, spread over its options
  std::map<std::string, std::vector<StrategyRun>> strategies;
  for (const StrategyRun& way : all_strategies()) {
    if (way.ranks == comm::process_place()->size) strategies[way.strategy].push_back(way);
  }
  REQUIRE(strategies.size() >= 6);
  const SharedFolder folder;
  std::uint64_t seed = 2001;
  for (const auto& [strategy, ways] : strategies) {
    const auto count = static_cast<int>(ways.size());
    for (const StrategyRun& way : ways) {
      const SmallCase small = over_processes(four_layers(way.strategy, way.ranks, way.options));
      cut_and_resume(small, random_cuts((fewest_cuts + count - 1) / count, seed++), folder);
    }
  }
}

TEST_CASE("a request to stop ends a case in all processes after the same step") {
  const SharedFolder folder;
  SmallCase small = over_processes(SmallCase("ddp", comm::process_place()->size, {}));
  small.experiment.training.checkpoint.save = folder / "saved";
  small.experiment.training.target = {};
  small.which.stop_file = folder / "stop";
  std::ofstream(small.which.stop_file) << "";
  FailingProgress heard(-1);
  CHECK(test::failure_of<Interrupted>([&] { run_case(small.experiment, small.which, "", heard); }) ==
        "stopped after step 1 in epoch 1, with the checkpoint " + step_file(folder / "saved", small.which.id, 1));
}
