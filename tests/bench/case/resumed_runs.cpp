#include "resumed_runs.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "all_strategies.h"
#include "bench/case/channels.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/train.h"
#include "dice.h"
#include "file_digest.h"
#include "long_epochs.h"
#include "runtime/checkpoint/checkpoint.h"
#include "temporary_folder.h"

namespace ddlbench::test {

using namespace bench;

namespace {

/// The end of an attempt that a test ends.
struct Crash : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What one process of a case did.
struct Attempt {
  RecordedProgress progress;
  std::int64_t steps = 0;  ///< training steps that rank 0 began
};

constexpr std::int64_t never = -1;

/// Trains the case; one rank throws when it begins step `crash_step`.
Attempt attempt(const SmallCase& small, std::int64_t crash_step, int crashing_rank) {
  Attempt result;
  const Setup setup = prepare(small.experiment, small.which);
  make_checkpoint_folder(small.experiment.training.checkpoint);
  std::ostringstream log;
  try {
    program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
    const comm::WorldOptions options{std::chrono::seconds(20)};
    comm::find_transport("threads").launch(small.which.ranks, options, [&](comm::Communicator& communicator) {
      const auto device = kernels::make_device("reference", {});
      const runtime::OwnedChannels channels = open_channels(setup, *device, communicator, options.timeout);
      complete(plan, *device, channels, Sharing::one_plan);
      Trainer trainer(setup, plan, *device, channels);
      std::set<const program::Instruction*> first;  // of the bodies of steps
      const std::vector<program::Instructions>& bodies = trainer.plan().role(trainer.rank()).train.bodies;
      for (const program::Instructions& body : bodies)
        if (!body.empty()) first.insert(&body.front());
      for (const std::vector<int>& drain : trainer.plan().cadence.drain)
        for (const int body : drain)
          if (const auto& drained = bodies[static_cast<std::size_t>(body)]; !drained.empty())
            first.erase(&drained.front());
      trainer.engine().set_hook([&](runtime::Mode mode, const program::Instruction& instruction) {
        if (mode != runtime::Mode::train || !first.contains(&instruction)) return;
        if (trainer.steps() == crash_step && trainer.rank() == crashing_rank) throw Crash("crash");
        if (trainer.rank() == 0) ++result.steps;
      });
      std::optional<Heartbeat> heartbeat;
      if (trainer.rank() == 0) heartbeat.emplace(result.progress, 0, log);
      train_epochs(trainer, heartbeat ? &*heartbeat : nullptr);
    });
  } catch (const std::exception& error) {
    if (crash_step == never || std::string(error.what()).find("crash") == std::string::npos) throw;
  }
  return result;
}

/// Compares the records by step and the files of the last epoch.
std::string difference(const SmallCase& small, const Attempt& whole, const std::string& whole_folder,
                       const std::vector<const Attempt*>& parts) {
  std::string text;
  std::map<std::int64_t, std::string> expected, found;
  for (const EpochRecord& record : whole.progress.epochs) expected[record.step.value()] = metrics_of(record);
  for (const Attempt* part : parts)
    for (const EpochRecord& record : part->progress.epochs) found[record.step.value()] = metrics_of(record);
  for (const auto& [step, metrics] : expected)
    if (found[step] != metrics) text += fmt::format("  {}: expected {}, found {}\n", step, metrics, found[step]);

  const std::string& id = small.which.id;
  const std::int64_t epochs = small.experiment.training.epochs;
  const std::string& folder = small.experiment.training.checkpoint.save;
  const std::string one = epoch_file(whole_folder, id, epochs), other = epoch_file(folder, id, epochs);
  if (digest_of_file(one) != digest_of_file(other)) text += "  final weights differ\n";
  const auto state_of = [](const std::string& path) {
    return runtime::SafetensorsReader(runtime::state_path(path)).metadata().at(runtime::SafetensorsWriter::digest_key);
  };
  if (state_of(one) != state_of(other)) text += "  final optimizer states differ\n";
  const double before =
      parts.front()->progress.epochs.empty() ? 0 : parts.front()->progress.epochs.back().trained_seconds.value_or(0);
  if (!(parts.back()->progress.epochs.back().trained_seconds.value_or(0) > before)) text += "  times begin anew\n";
  return text;
}

}  // namespace

std::string difference_after_crashes(SmallCase small, std::uint64_t seed, int cuts, std::int64_t& redone) {
  const TemporaryFolder folder;
  CheckpointSettings& checkpoint = small.experiment.training.checkpoint;
  checkpoint.save = folder / "whole";
  Attempt whole = attempt(small, never, 0);
  const std::int64_t steps = whole.progress.epochs.back().step.value();
  Dice dice(seed);
  std::string text;
  for (int cut = 0; cut < cuts; ++cut) {
    checkpoint.every_steps = 1 + dice.below(4);
    const Choice& way = small.which.strategy.choice;
    const bool drains = !flushes({way.kind, small.which.ranks, way.options});
    const std::string at_once = folder / (drains ? "whole" + std::to_string(cut) : "whole");
    if (drains) {  // where it is saved, which changes the weights that are used
      checkpoint.save = at_once;
      whole = attempt(small, never, 0);
    }
    checkpoint.save = folder / ("cut" + std::to_string(cut));
    const std::int64_t crash_step = dice.below(static_cast<int>(steps));
    const Attempt first = attempt(small, crash_step, dice.below(small.which.ranks));
    std::vector<std::string> notes;
    const auto point = newest_checkpoint(checkpoint.save, small.which.id, "contract", notes,
                                         static_cast<std::int64_t>(first.progress.epochs.size()));
    SmallCase rest = small;
    rest.which.resume_from = point ? point->path : "";
    const Attempt second = attempt(rest, never, 0);
    std::string what = difference(small, whole, at_once, {&first, &second});
    const std::int64_t from = point ? point->steps : 0;
    if (second.steps != steps - from) what += fmt::format("  trained {} steps from {}\n", second.steps, from);
    if (from < crash_step / checkpoint.every_steps * checkpoint.every_steps)
      what += fmt::format("  redid from {}\n", from);
    redone = std::max(redone, crash_step - from);
    for (const std::string& note : notes) what += "  " + note + "\n";
    if (!what.empty()) {
      text += fmt::format("{} on {} ranks, seed {}, cut at {}, saved every {}:\n{}", small.which.id, small.which.ranks,
                          seed, crash_step, checkpoint.every_steps, what);
    }
  }
  return text;
}

std::string differences_after_crashes(int least, int most, std::uint64_t first_seed, int cuts, std::int64_t& redone) {
  std::string text;
  std::uint64_t seed = first_seed;
  std::vector<StrategyRun> ways = all_strategies();
  for (StrategyRun& way : strategies_with_rules()) ways.push_back(std::move(way));
  for (const StrategyRun& way : ways) {
    if (way.ranks < least || way.ranks > most) continue;
    SmallCase small = with_long_epochs(four_layers(way.strategy, way.ranks, way.options));
    bench::Training& training = small.experiment.training;
    training.optimizer = adam_or_momentum(way);
    training.precision = std::vector<std::string>{"fp32", "bf16", "fp16"}[seed % 3];
    // An update in the backward pass, or before others, cannot be skipped, a residual and weights of one rank have no
    // loss scale, pipelines without flush have no norm, and bf16 on the wire needs gradients in bf16 or f32.
    const bool has_residual = way.strategy == "compressed" || way.strategy == "power_sgd";
    const bool fits_fp16 = way.options.count("update_in_backward") == 0 && way.options.count("wire") == 0 &&
                           !has_residual && way.strategy != "local_sgd" && way.strategy != "gossip" &&
                           way.strategy != "priority" && flushes(way);
    if (training.precision == "fp16" && !fits_fp16) training.precision = "bf16";
    training.loss_scale = {"dynamic", {{"initial", 1024.0}, {"growth_interval", std::int64_t{2}}}};
    text += difference_after_crashes(small, seed++, cuts, redone);
  }
  return text;
}

}  // namespace ddlbench::test
