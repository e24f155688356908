#include "bench/case/checkpoints.h"

#include <unistd.h>

#include <fmt/core.h>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
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

void require_continues(const runtime::Origin& origin, const Setup& setup) {
  const Experiment& experiment = setup.experiment;
  const std::string& path = experiment.training.checkpoint.load;
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
  const std::int64_t steps_per_epoch = setup.batches();
  if (origin.step / steps_per_epoch == origin.epoch && origin.step % steps_per_epoch != 0) {
    throw InputError(fmt::format(
        "{}: was saved within epoch {}, at the target, but a training resumes at the end of an epoch; load an "
        "earlier checkpoint, or set training/checkpoint/resume to false to load only the weights",
        path, origin.epoch + 1));
  }
  if (origin.step % steps_per_epoch != 0 || origin.step / steps_per_epoch != origin.epoch) {
    throw InputError(
        fmt::format("{}: was saved after {} steps in {} epochs, but here an epoch has {} steps; use the global batch "
                    "and the data set that it was trained with",
                    path, origin.step, origin.epoch, steps_per_epoch));
  }
  if (origin.epoch >= experiment.training.epochs) {
    throw InputError(fmt::format(
        "{}: has completed {} epochs, and training/epochs is {}, which includes these: nothing is left to train", path,
        origin.epoch, experiment.training.epochs));
  }
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

bool is_scheduled(const Training& training, std::int64_t epochs) {
  return epochs == training.epochs || epochs % training.checkpoint.every_epochs == 0;
}

std::string path_of(const CheckpointSettings& checkpoint, const Case& which, const char* counted, std::int64_t done) {
  return fmt::format("{}/{}-{}-{}.safetensors", checkpoint.save, which.id, counted, done);
}

/// Returns the existing files that the case may overwrite when it saves after epoch `first` or a later one.
std::vector<std::string> in_the_way(const Training& training, const Case& which, std::int64_t first) {
  std::vector<std::string> paths;
  std::error_code none;
  for (std::int64_t epoch = first; epoch <= training.epochs; ++epoch) {
    if (!training.stop_at_target && !is_scheduled(training, epoch)) continue;
    const std::string path = path_of(training.checkpoint, which, "epoch", epoch);
    if (std::filesystem::exists(path, none)) paths.push_back(path);
  }
  if (!training.stop_at_target || training.target.every_steps == 0) return paths;
  const std::string within = which.id + "-step-";
  for (const auto& entry : std::filesystem::directory_iterator(training.checkpoint.save, none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(within) && !name.ends_with(".state.safetensors")) paths.push_back(entry.path());
  }
  return paths;
}

}  // namespace

std::string checkpoint_path(const Setup& setup, const Start& done) {
  const CheckpointSettings& checkpoint = setup.experiment.training.checkpoint;
  const bool whole_epochs = done.steps == done.epochs * setup.batches();
  return whole_epochs ? path_of(checkpoint, setup.which, "epoch", done.epochs)
                      : path_of(checkpoint, setup.which, "step", done.steps);
}

Start find_start(const Setup& setup) {
  const CheckpointSettings& checkpoint = setup.experiment.training.checkpoint;
  if (checkpoint.load.empty()) return {};
  return reading([&]() -> Start {
    runtime::require_fits(checkpoint.load, weights_of(setup.model), names_in_load(setup));
    if (!checkpoint.resume) return {};
    const runtime::Origin origin = runtime::origin_of(checkpoint.load);
    require_continues(origin, setup);
    runtime::require_fits(runtime::state_path(checkpoint.load), states_of(setup.model, setup.optimizer),
                          setup.file_names);
    return {origin.epoch, origin.step, origin.trained_seconds, origin.elapsed_seconds};
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

void require_checkpoint_folder(const CheckpointSettings& checkpoint) {
  if (checkpoint.save.empty()) return;
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(checkpoint.save, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const std::string what = "the folder for checkpoints, " + checkpoint.save + ", cannot be ";
  if (!std::filesystem::is_directory(there, error))
    throw InputError(fmt::format("{}created: {} is not a folder", what, there.string()));
  if (::access(there.c_str(), W_OK | X_OK) != 0)
    throw InputError(fmt::format("{}written to: {}: {}", what, there.string(), std::strerror(errno)));
}

void require_own_checkpoints(const Experiment& experiment, const Case& which) {
  const Training& training = experiment.training;
  if (training.checkpoint.save.empty()) return;
  std::int64_t done = 0;
  try {
    if (training.checkpoint.resume) done = runtime::origin_of(training.checkpoint.load).epoch;
  } catch (const InputError&) {  // the case itself reports this error
    return;
  }
  for (const std::string& path : in_the_way(training, which, done + 1)) {
    std::string contract;
    try {
      contract = runtime::origin_of(path).contract_id;
    } catch (const InputError&) {  // an unreadable file was not written by this case
    }
    if (contract == which.contract_id) continue;
    throw InputError(
        fmt::format("{} is from another training, and {} would overwrite it; name another folder in "
                    "training/checkpoint/save, or move it away",
                    path, which.id));
  }
}

void make_checkpoint_folder(const CheckpointSettings& checkpoint) {
  if (checkpoint.save.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(checkpoint.save, error);
  if (!error && std::filesystem::is_directory(checkpoint.save)) return;
  throw InputError(fmt::format("the folder for checkpoints, {}, cannot be created{}", checkpoint.save,
                               error ? ": " + error.message() : ": a file is in its place"));
}

runtime::Origin origin_of(const Setup& setup, const Start& done) {
  const Choice& model = setup.experiment.workload.model;
  return {build_info.version,
          model.kind,
          options_text(model.options),
          setup.experiment.training.optimizer.kind,
          setup.which.contract_id,
          setup.which.seed,
          done.epochs,
          done.steps,
          done.trained_seconds,
          done.elapsed_seconds};
}

bool save_checkpoint(const Setup& setup, const runtime::Engine& engine, comm::Communicator& communicator,
                     const Start& done, SaveWhen when, Heartbeat* heartbeat) {
  const Training& training = setup.experiment.training;
  if (training.checkpoint.save.empty()) return false;
  if (when == SaveWhen::scheduled && !is_scheduled(training, done.epochs)) return false;
  const runtime::Origin origin = origin_of(setup, done);
  const auto alive = [heartbeat] {
    if (heartbeat != nullptr) heartbeat->enter("save");
  };
  runtime::save(engine, communicator, checkpoint_path(setup, done), origin, setup.file_names, alive);
  return true;
}

}  // namespace ddlbench::bench
