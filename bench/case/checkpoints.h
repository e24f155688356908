#pragma once

#include <string>

#include "bench/case/heartbeat.h"
#include "bench/config/experiment.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine.h"

namespace ddlbench::bench {

struct Setup;

/// The progress of a training before its first epoch: nonzero where a checkpoint is resumed.
struct Start {
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
  double trained_seconds = 0;  ///< of these steps
  double elapsed_seconds = 0;  ///< with validations, without saving
};

/// When a checkpoint is written: after the epochs that the experiment names, or at once.
enum class SaveWhen : std::uint8_t { scheduled, now };

/// Checks, from the headers of the files that training/checkpoint/load names, that they fit the model and, when
/// resuming, also the optimizer, the seed and the epochs. Returns where training starts. Reads all of `setup` but its
/// start. Throws workloads::BadData.
Start find_start(const Setup& setup);

/// Returns the digest of all bytes that are to be loaded; empty where nothing is. Throws workloads::BadData, also if a
/// file's bytes are not those that were written.
std::string digest_of_start(const CheckpointSettings& checkpoint);

/// Loads the checkpoint into an engine that is in the state that initialize() left. Collective. Throws
/// workloads::BadData.
void load_start(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator,
                runtime::Digests digests);

/// Throws InputError unless the folder for checkpoints exists and is writable, or can be made.
void require_checkpoint_folder(const CheckpointSettings& checkpoint);

/// Throws InputError if the case would overwrite checkpoints of another training.
void require_own_checkpoints(const Experiment& experiment, const Case& which);

/// Makes the folder for checkpoints if any are to be saved. Throws InputError.
void make_checkpoint_folder(const CheckpointSettings& checkpoint);

/// Returns the metadata that a file of this training carries after `done` epochs and steps.
runtime::Origin origin_of(const Setup& setup, const Start& done);

/// Returns FOLDER/CASE-epoch-N.safetensors; within an epoch FOLDER/CASE-step-N.safetensors.
std::string checkpoint_path(const Setup& setup, const Start& done);

/// Writes a checkpoint after `done` epochs and steps if the experiment asks for any, and for one then. Returns whether
/// it did. The engine must be drained. `heartbeat` is null on all ranks but rank 0. Collective. Throws InputError.
bool save_checkpoint(const Setup& setup, const runtime::Engine& engine, comm::Communicator& communicator,
                     const Start& done, SaveWhen when, Heartbeat* heartbeat);

}  // namespace ddlbench::bench
