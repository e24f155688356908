// A case over processes must resume within an epoch to the bit, and end on request in all processes.

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "../case/long_epochs.h"
#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/train.h"
#include "catch.h"
#include "comm/all_gather.h"
#include "comm/process_place.h"
#include "failure.h"
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

SmallCase long_epochs(const std::string& strategy, int ranks, const OptionValues& options, const std::string& folder) {
  SmallCase small = test::with_long_epochs(SmallCase(strategy, ranks, options));
  small.experiment.devices.transport = "mpi";
  small.experiment.devices.collectives = "ring";
  small.experiment.training.target = {{}, 1.0, 1};  // validates after each step, so that each can be the last one
  small.experiment.training.checkpoint.save = folder;
  return small;
}

std::vector<SmallCase> cases_for(int processes, const std::string& folder) {
  const OptionValues zero{{"stage", std::int64_t{3}}}, parts{{"microbatches", std::int64_t{4}}};
  const OptionValues hybrid{{"mesh", AxisSizes{{"data", 2}, {"pipeline", 2}}}, {"microbatches", std::int64_t{2}}};
  if (processes < 2) return {long_epochs("single", 1, {}, folder)};
  if (processes < 4) {
    return {long_epochs("ddp", 2, {}, folder), long_epochs("tensor", 2, {}, folder),
            long_epochs("1f1b", 2, parts, folder), long_epochs("zero", 2, zero, folder)};
  }
  return {long_epochs("hybrid", 4, hybrid, folder), long_epochs("zero", 4, zero, folder)};
}

/// Cuts the cases at these steps of fifteen.
void cut_at(const std::vector<std::int64_t>& steps) {
  const comm::ProcessPlace place = comm::process_place().value();
  const SharedFolder folder;
  for (SmallCase& small : cases_for(place.size, folder / "whole")) {
    INFO(small.which.id);
    FailingProgress whole(-1);
    run_case(small.experiment, small.which, "", whole);
    for (const std::int64_t step : steps) {
      INFO(step);
      SmallCase cut = small;
      cut.experiment.training.checkpoint.save = folder / ("cut" + std::to_string(step));
      cut.experiment.training.checkpoint.every_steps = 1 + step % 4;
      FailingProgress first(step), second(-1);
      CHECK_THROWS_AS(run_case(cut.experiment, cut.which, "", first), InputError);
      std::vector<std::string> notes;
      const auto point = newest_checkpoint(cut.experiment.training.checkpoint.save, cut.which.id, "contract", notes);
      if (point) cut.which.resume_from = point->path;
      run_case(cut.experiment, cut.which, "", second);
      if (place.rank != 0) continue;
      std::filesystem::remove_all(cut.experiment.training.checkpoint.save);
      CHECK(notes.empty());
      CHECK((point ? point->steps : 0) >= step - step % (1 + step % 4));
      first.metrics.merge(second.metrics);
      CHECK(first.metrics == whole.metrics);
      CHECK(second.metrics.size() <= 15);
    }
  }
}

}  // namespace

TEST_CASE("a case over processes that is cut and resumed has the losses of an uninterrupted one, to the bit") {
  // Four processes on few cores take seconds for each case.
  cut_at(comm::process_place()->size < 4 ? std::vector<std::int64_t>{4, 8, 15} : std::vector<std::int64_t>{8});
}

TEST_CASE("a case over processes resumes from any step", "[.slow]") {
  cut_at({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
}

TEST_CASE("a request to stop ends a case in all processes after the same step") {
  const SharedFolder folder;
  SmallCase small = long_epochs("ddp", comm::process_place()->size, {}, folder / "saved");
  small.experiment.training.target = {};
  small.which.stop_file = folder / "stop";
  std::ofstream(small.which.stop_file) << "";
  FailingProgress heard(-1);
  CHECK(test::failure_of<Interrupted>([&] { run_case(small.experiment, small.which, "", heard); }) ==
        "stopped after step 1 in epoch 1, with the checkpoint " + step_file(folder / "saved", small.which.id, 1));
}
