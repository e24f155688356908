#pragma once

#include <cstdint>
#include <vector>

namespace ddlbench::program {

/// Determines which body of the programs each training step runs: the same one on all ranks. A pure function of the
/// step, so that a resumed training continues with the right body.
struct Cadence {
  /// `steps` steps that run the same body.
  struct Turn {
    int body = 0;
    std::int64_t steps = 1;
    bool operator==(const Turn&) const = default;
  };
  std::vector<Turn> ramp = {};         ///< the first steps
  std::vector<Turn> cycle = {{0, 1}};  ///< repeated from then on

  /// Returns the body of a step. Steps count from 0.
  int body(std::int64_t step) const;
  std::int64_t ramp_steps() const;
  std::int64_t cycle_steps() const;
  /// Returns for each of `bodies` bodies the number of steps of a cycle that run it.
  std::vector<std::int64_t> steps_of_bodies(std::size_t bodies) const;
  bool operator==(const Cadence&) const = default;
};

}  // namespace ddlbench::program
