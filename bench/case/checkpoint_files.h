#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

// A case's checkpoints in the folder training/checkpoint/save are CASE-epoch-N.safetensors, after N whole epochs, and
// CASE-step-N.safetensors, after N steps of which the last epoch was not complete or not yet validated; each has its
// state file (runtime/checkpoint/checkpoint.h). A case keeps all of the former and the newest of the latter.

std::string epoch_file(const std::string& folder, const std::string& case_id, std::int64_t epochs);
std::string step_file(const std::string& folder, const std::string& case_id, std::int64_t steps);

/// Throws InputError unless the folder for checkpoints exists and is writable, or can be made.
void require_checkpoint_folder(const CheckpointSettings& checkpoint);

/// Throws InputError if one of the cases would overwrite or remove checkpoints of another training.
void require_own_checkpoints(const Experiment& experiment, const std::vector<Case>& cases);

/// Makes the folder for checkpoints if any are to be saved. Throws InputError.
void make_checkpoint_folder(const CheckpointSettings& checkpoint);

/// Removes the files of this training saved within epochs, except `kept`. What cannot be read or removed stays.
void remove_step_files(const std::string& folder, const Case& which, const std::string& kept);

/// Returns the whole epochs before a training that resumes that of `load`; 0 for one that begins anew. Throws
/// InputError.
std::int64_t epochs_before(const CheckpointSettings& checkpoint);

/// A checkpoint from which the training of a case can continue.
struct ResumePoint {
  std::string path;         ///< for Case::resume_from
  std::int64_t epochs = 0;  ///< whole epochs before it
  std::int64_t steps = 0;   ///< training steps before it
};

/// Returns the newest checkpoint of a case in a folder that is whole: header, metadata and digests of both files are
/// valid, and it is of this contract. With `last_epoch`, the last one that is recorded, it is also one that loses no
/// record of an epoch: a resumed training repeats only the validation that is due at its first step, so the records of
/// all earlier epochs must exist. Appends to `notes` one line for each file that is passed over. Reads the returned
/// checkpoint completely.
std::optional<ResumePoint> newest_checkpoint(const std::string& folder, const std::string& case_id,
                                             const std::string& contract_id, std::vector<std::string>& notes,
                                             std::optional<std::int64_t> last_epoch = {});

}  // namespace ddlbench::bench
