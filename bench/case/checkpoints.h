#pragma once

#include <string>

#include "bench/case/pulse.h"
#include "bench/config/experiment.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine.h"

namespace ddlbench::bench {

struct Setup;

/// What was done before the first epoch: more than nothing where a checkpoint is resumed.
struct Start {
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
};

/// Finds in the headers of the files that training/checkpoint/load names whether they fit the model, and to resume also
/// the optimizer, the seed and the epochs. Reads all of `setup` but its start. Throws workloads::BadData.
Start find_start(const Setup& setup);

/// Over all bytes that are loaded; empty where nothing is. Throws workloads::BadData, also where they are not those
/// that were written.
std::string digest_of_start(const CheckpointSettings& checkpoint);

/// Puts what is to be loaded into an engine that is as initialize() left it. Collective. Throws workloads::BadData.
void load_start(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator,
                runtime::Digests digests);

/// Whether the folder for checkpoints is there and can be written to, or can be made. Throws InputError.
void require_checkpoint_folder(const CheckpointSettings& checkpoint);

/// Whether what the case is going to save would take the place of checkpoints of another training. Throws InputError.
void require_own_checkpoints(const Experiment& experiment, const Case& which);

/// Makes the folder for checkpoints, where there are to be some. Throws InputError.
void make_checkpoint_folder(const CheckpointSettings& checkpoint);

/// What a file of a training says of it, so many epochs and steps being done.
runtime::Origin origin_of(const Setup& setup, const Start& done);

/// FOLDER/CASE-epoch-N.safetensors, after N epochs.
std::string checkpoint_path(const CheckpointSettings& checkpoint, const Case& which, std::int64_t epochs);

/// Writes it after so many epochs and steps, if one is wanted then. Drained; collective. Throws InputError. `pulse` is
/// null on all ranks but the first.
void save_checkpoint(const Setup& setup, const runtime::Engine& engine, comm::Communicator& communicator,
                     const Start& done, Pulse* pulse);

}  // namespace ddlbench::bench
