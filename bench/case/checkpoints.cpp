#include "bench/case/checkpoints.h"

#include <fmt/core.h>

#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/setup.h"
#include "bench/config/resolve.h"
#include "bench/records/build_info.h"

namespace ddlbench::bench {
namespace {

runtime::TensorTypes weights_of(const graph::Graph& model) {
  runtime::TensorTypes types;
  for (const graph::Role role : {graph::Role::parameter, graph::Role::statistic}) {
    for (const graph::TensorId id : model.with_role(role)) {
      const graph::TensorSpec& spec = model.tensors[static_cast<std::size_t>(id)];
      types[spec.name] = spec.type;
    }
  }
  return types;
}

runtime::TensorTypes states_of(const graph::Graph& model, const graph::Optimizer& optimizer) {
  runtime::TensorTypes types;
  for (const graph::TensorId id : model.with_role(graph::Role::parameter)) {
    const graph::TensorSpec& spec = model.tensors[static_cast<std::size_t>(id)];
    for (const std::string& state : optimizer.states) types[fmt::format("{}.{}", spec.name, state)] = spec.type;
  }
  if (optimizer.guard.skip_overflow) {
    for (const char* state : graph::loss_scaler_states) types[state] = {{1}};
  }
  return types;
}

/// Calls `attempt` and turns an InputError into BadData: a bad checkpoint is bad data of the case.
auto reading(const auto& attempt) {
  try {
    return attempt();
  } catch (const InputError& error) {
    throw workloads::BadData(error.what());
  }
}

std::string options_text(const OptionValues& options) {
  nlohmann::ordered_json text = nlohmann::ordered_json::object();
  for (const auto& [name, value] : options) text[name] = to_json(value);
  lists_to_text(text);
  return text.dump();
}

/// Whether the validation of a whole epoch that a checkpoint ends with is repeated.
enum class Repeats : std::uint8_t { none, validation };

void require_continues(const runtime::Origin& origin, const std::string& path, const Setup& setup, Repeats repeats) {
  const Experiment& experiment = setup.experiment;
  const Choice& optimizer = experiment.training.optimizer;
  if (origin.optimizer != optimizer.kind) {
    throw InputError(
        fmt::format("{}: was trained with the optimizer {}, but this training uses {}; set training/checkpoint/resume "
                    "to false to load only its weights",
                    path, origin.optimizer, optimizer.kind));
  }
  const Choice& model = experiment.workload.model;
  const bool says_all = experiment.workload.derived.definition.empty();  // a file that the options name may have moved
  if (origin.model != model.kind || (says_all && origin.model_options != options_text(model.options))) {
    throw InputError(
        fmt::format("{}: was saved from the model {} {}, but this training uses {} {}; set training/checkpoint/resume "
                    "to false to load only its weights",
                    path, origin.model, origin.model_options, model.kind, options_text(model.options)));
  }
  if (origin.seed != setup.which.seed) {
    throw InputError(
        fmt::format("{0}: was trained with seed {1}, but training/seed is {2}, which orders the samples differently; "
                    "set training/seed to {1}",
                    path, origin.seed, setup.which.seed));
  }
  const std::int64_t steps_per_epoch = setup.batches(), whole = origin.epoch * steps_per_epoch;
  const bool within = origin.step != whole;
  const bool needs_losses = repeats == Repeats::validation || (within && origin.step / steps_per_epoch == origin.epoch);
  if (needs_losses && !origin.last_epoch) {
    throw InputError(
        fmt::format("{}: was saved after step {} without the losses of its epoch, by an older ddlbench or as a trace; "
                    "load a checkpoint of the end of an epoch, or set training/checkpoint/resume to false to load only "
                    "the weights",
                    path, origin.step));
  }
  const bool fits = origin.last_epoch ? origin.last_epoch->steps_per_epoch == steps_per_epoch && origin.step >= whole &&
                                            origin.step <= whole + steps_per_epoch
                                      : !within;
  if (!fits) {
    throw InputError(
        fmt::format("{}: was saved after {} steps in {} epochs, but here an epoch has {} steps; use the global batch "
                    "and the data set that it was trained with",
                    path, origin.step, origin.epoch, steps_per_epoch));
  }
  const std::int64_t most =
      repeats == Repeats::validation ? experiment.training.epochs : experiment.training.epochs - 1;
  if (origin.epoch > most) {
    throw InputError(fmt::format(
        "{}: has completed {} epochs, and training/epochs is {}, which includes these: nothing is left to train", path,
        origin.epoch, experiment.training.epochs));
  }
}

/// Returns where a training starts that continues from `path`.
Start continued(const Setup& setup, const std::string& path, Repeats repeats) {
  const runtime::Origin origin = runtime::origin_of(path);
  require_continues(origin, path, setup, repeats);
  runtime::require_fits(runtime::state_path(path), states_of(setup.model, setup.optimizer), setup.file_names);
  Start start{origin.epoch, origin.step, origin.trained_seconds, origin.elapsed_seconds};
  const bool at_end = origin.step == origin.epoch * setup.batches();
  if (at_end && repeats == Repeats::none) return start;
  if (at_end) --start.epochs;
  start.epoch_seconds = origin.last_epoch->seconds;
  start.epoch_losses = origin.last_epoch->losses;
  return start;
}

/// Returns the names by which tensors are found in the file that is loaded.
graph::FileNames names_in_load(const Setup& setup) {
  graph::FileNames names = setup.file_names;
  names.strip_prefix = setup.experiment.training.checkpoint.strip_prefix;
  return names;
}

runtime::Part part_of(const CheckpointSettings& checkpoint) {
  return checkpoint.resume ? runtime::Part::everything : runtime::Part::weights;
}

}  // namespace

bool is_scheduled(const Training& training, std::int64_t epochs) {
  return epochs == training.epochs || epochs % training.checkpoint.every_epochs == 0;
}

Start find_start(const Setup& setup) {
  const CheckpointSettings& checkpoint = setup.experiment.training.checkpoint;
  if (checkpoint.load.empty()) return {};
  return reading([&]() -> Start {
    runtime::require_fits(checkpoint.load, weights_of(setup.model), names_in_load(setup));
    if (!checkpoint.resume) return {};
    return continued(setup, checkpoint.load, Repeats::none);
  });
}

std::optional<Start> find_resumed(const Setup& setup) {
  const std::string& path = setup.which.resume_from;
  if (path.empty() || setup.which.visit_steps > 0) return std::nullopt;
  return reading([&] {
    runtime::require_fits(path, weights_of(setup.model), setup.file_names);
    return continued(setup, path, Repeats::validation);
  });
}

std::string digest_of_start(const CheckpointSettings& checkpoint) {
  if (checkpoint.load.empty()) return "";
  return reading([&] { return runtime::checked_digest(checkpoint.load, part_of(checkpoint)); });
}

void load_start(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator,
                runtime::Digests digests) {
  const CheckpointSettings& checkpoint = setup.experiment.training.checkpoint;
  if (checkpoint.load.empty()) return;
  reading([&] {
    runtime::load(engine, communicator, checkpoint.load, part_of(checkpoint), names_in_load(setup), digests);
  });
}

void load_resumed(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator) {
  reading([&] {
    runtime::load(engine, communicator, setup.which.resume_from, runtime::Part::everything, setup.file_names);
  });
}

runtime::Origin origin_of(const Setup& setup, const Start& done) {
  const Choice& model = setup.experiment.workload.model;
  runtime::Origin origin{build_info.version,
                         model.kind,
                         options_text(model.options),
                         setup.experiment.training.optimizer.kind,
                         setup.which.contract_id,
                         setup.which.seed,
                         done.epochs,
                         done.steps,
                         done.trained_seconds,
                         done.elapsed_seconds};
  if (!done.epoch_losses.empty()) origin.last_epoch = {setup.batches(), done.epoch_seconds, done.epoch_losses};
  return origin;
}

std::string save_checkpoint(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator,
                            const Start& done, SaveWhen when, Heartbeat* heartbeat) {
  const Training& training = setup.experiment.training;
  const std::string& folder = training.checkpoint.save;
  if (folder.empty()) return "";
  if (when == SaveWhen::scheduled && !is_scheduled(training, done.epochs)) return "";
  const bool whole_epochs = done.steps == done.epochs * setup.batches();
  const std::string path =
      whole_epochs ? epoch_file(folder, setup.which.id, done.epochs) : step_file(folder, setup.which.id, done.steps);
  const auto alive = [heartbeat] {
    if (heartbeat != nullptr) heartbeat->enter("save");
  };
  runtime::save(engine, communicator, path, origin_of(setup, done), setup.file_names, alive);
  if (communicator.rank() == 0) remove_step_files(folder, setup.which, path);
  return path;
}

}  // namespace ddlbench::bench
