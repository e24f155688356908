#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// The contracts of an experiment of one workload, whose configuration is read once for all of them.
class Contracts {
 public:
  explicit Contracts(const Experiment& experiment);

  /// 16 hexadecimal digits over everything that two rows must share to be ranked against each other: model,
  /// data set, global batch, seed, precision, optimizer, epochs, throttle and what is loaded to begin with, with all
  /// their settings, and the kind of device where it is none of the host's own.
  std::string contract_id(std::int64_t global_batch, std::uint64_t seed) const;
  /// The same without the global batch: it joins the points of a weak-scaling curve.
  std::string scaling_id(std::uint64_t seed) const;

 private:
  nlohmann::json shared_;  ///< all but global batch and seed
};

/// Of one case.
std::string contract_id(const Experiment& experiment, std::int64_t global_batch, std::uint64_t seed);
std::string scaling_id(const Experiment& experiment, std::uint64_t seed);

}  // namespace ddlbench::bench
