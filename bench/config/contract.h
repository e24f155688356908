#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// Returns the sections `workload` and `training` of a resolved configuration, which may be of another version, without
/// the settings that rows of one contract do not have to share, and without global batch and seed. Throws
/// nlohmann::json::exception if the sections are missing or malformed.
nlohmann::json shared_settings(const nlohmann::json& resolved);

/// The contracts of an experiment with one workload. The configuration is parsed once for all of them.
class Contracts {
 public:
  explicit Contracts(const Experiment& experiment);

  /// Returns a hash, as 16 hexadecimal digits, of everything that two rows must share to be ranked against each other:
  /// model, data set, global batch, seed, precision, optimizer, epochs, throttle and the initial weights that are
  /// loaded, with all their settings, and the kind of device if it is an accelerator.
  std::string contract_id(std::int64_t global_batch, std::uint64_t seed) const;
  /// Returns the same hash without the global batch. It joins the points of a weak-scaling curve.
  std::string scaling_id(std::uint64_t seed) const;
  /// Returns the same hash without the seed. It joins the replicates of a case.
  std::string replicate_id(std::int64_t global_batch) const;

 private:
  nlohmann::json shared_;  ///< all but global batch and seed
};

/// The same for a single case.
std::string contract_id(const Experiment& experiment, std::int64_t global_batch, std::uint64_t seed);
std::string scaling_id(const Experiment& experiment, std::uint64_t seed);

}  // namespace ddlbench::bench
