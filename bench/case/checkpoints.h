#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/case/heartbeat.h"
#include "bench/config/experiment.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine.h"

namespace ddlbench::bench {

struct Setup;

/// The progress of a training: before its first step, where it is nonzero if a checkpoint is resumed, or later.
struct Start {
  std::int64_t epochs = 0;     ///< trained and validated
  std::int64_t steps = 0;      ///< of these epochs and of the next one; a whole next epoch has yet to be validated
  double trained_seconds = 0;  ///< of these steps
  double elapsed_seconds = 0;  ///< with validations, without saving
  double epoch_seconds = 0;    ///< of the steps of the last epoch
  std::vector<double> epoch_losses = {};  ///< by rank: the sum of its shares of these steps' losses
};

/// When a checkpoint is written: after the epochs that the experiment names, or at once.
enum class SaveWhen : std::uint8_t { scheduled, now };

/// Whether the experiment saves a checkpoint after so many epochs.
bool is_scheduled(const Training& training, std::int64_t epochs);

/// Checks, from the headers of the files that training/checkpoint/load names, that they fit the model and, when
/// resuming, also the optimizer, the seed and the epochs. Returns where training starts. Reads all of `setup` but its
/// starts. Throws workloads::BadData.
Start find_start(const Setup& setup);

/// Does the same for the case's own checkpoint, which a resumed training continues from: at the end of an epoch, with
/// the validation of that epoch. Returns nothing if Case::resume_from is empty, and for a visit,
/// which does not train.
std::optional<Start> find_resumed(const Setup& setup);

/// Returns the digest of all bytes that are to be loaded; empty where nothing is. Throws workloads::BadData, also if a
/// file's bytes are not those that were written.
std::string digest_of_start(const CheckpointSettings& checkpoint);

/// Loads the checkpoint of training/checkpoint/load into an engine that is in the state that initialize() left.
/// Collective. Throws workloads::BadData.
void load_start(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator,
                runtime::Digests digests);

/// Does the same with the case's own checkpoint.
void load_resumed(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator);

/// Returns the metadata that a file of this training carries after `done` epochs and steps.
runtime::Origin origin_of(const Setup& setup, const Start& done);

/// Writes a checkpoint of `done` if the experiment asks for any, and for one then: CASE-epoch-N after whole epochs,
/// else CASE-step-N (bench/case/checkpoint_files.h), and then removes older files of the latter kind. Returns its path;
/// empty if none was written. The engine must be drained. `heartbeat` is null on all ranks but rank 0. Collective.
/// Throws InputError.
std::string save_checkpoint(const Setup& setup, runtime::Engine& engine, comm::Communicator& communicator,
                            const Start& done, SaveWhen when, Heartbeat* heartbeat);

}  // namespace ddlbench::bench
