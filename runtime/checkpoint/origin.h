#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::runtime {

/// The last epoch of a checkpoint as far as it was trained: whole, unless the checkpoint was saved within it.
struct EpochSoFar {
  std::int64_t steps_per_epoch = 0;
  double seconds = 0;          ///< of the steps so far
  std::vector<double> losses;  ///< by rank: the sum of the rank's shares of these steps' losses
};

/// The training run and the point in it at which a checkpoint was written: the metadata of its files. Only the state
/// file has the times and the last epoch: equal trainings write equal weight files.
struct Origin {
  std::string version;        ///< of ddlbench
  std::string model;          ///< kind of model
  std::string model_options;  ///< as JSON
  std::string optimizer;      ///< kind of optimizer
  std::string contract_id;
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;                     ///< number of completed epochs
  std::int64_t step = 0;                      ///< number of completed steps, over all epochs and within the next one
  double trained_seconds = 0;                 ///< of these steps
  double elapsed_seconds = 0;                 ///< since the training began, with validations, without saving
  std::optional<EpochSoFar> last_epoch = {};  ///< nothing in files of older versions and of traces
};

using Metadata = std::map<std::string, std::string>;

/// Metadata key of a state file: the digest of the weights that it belongs to.
inline constexpr const char* weights_digest_key = "weights_digest";

/// Returns the entries of both files.
Metadata to_metadata(const Origin& origin);
/// Returns the entries that only the state file has. Numbers have enough digits to be read back exactly.
Metadata progress_to_metadata(const Origin& origin);
/// Returns the origin without its times and its last epoch. Throws InputError naming `file` and the entry that is
/// missing or not a number.
Origin origin_from(const Metadata& metadata, const std::string& file);
/// Sets times and last epoch from a state file's metadata. Throws InputError likewise, and if they were changed.
void read_progress(Origin& origin, const Metadata& metadata, const std::string& file);

}  // namespace ddlbench::runtime
