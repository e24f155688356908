#pragma once

#include <cstdint>
#include <vector>

namespace ddlbench::program {

/// Determines which body of the programs each training step runs: the same one on all ranks. It depends only on the
/// step's number and on the number of steps since the last prologue, so that a resumed training continues with the
/// right body.
struct Cadence {
  /// `steps` steps that run the same body.
  struct Turn {
    int body = 0;
    std::int64_t steps = 1;
    bool operator==(const Turn&) const = default;
  };
  std::vector<Turn> ramp = {};         ///< the first steps
  std::vector<Turn> cycle = {{0, 1}};  ///< repeated from then on
  /// The bodies of the first steps after a prologue, instead of the others: before them, no step has left work that
  /// they must complete. The epilogue completes what the last step leaves.
  std::vector<int> fill = {};
  /// The bodies that run before the epilogue, and complete what the last steps leave: after one step since the
  /// prologue, after two, and so on; the last list is for all numbers from then on. They load no batch, and do not
  /// count as steps, but rings advance.
  std::vector<std::vector<int>> drain = {};

  /// Returns the body of a step. Steps count from 0. `since_prologue` is the number of steps between the last prologue
  /// and this step; without it, the step comes after the fill.
  int body(std::int64_t step) const;
  int body(std::int64_t step, std::int64_t since_prologue) const;
  /// Returns the bodies that run after the last of `steps` steps since the prologue.
  const std::vector<int>& drain_after(std::int64_t steps) const;
  /// Returns the number of steps after a prologue that may take another time than all later ones: those of the fill,
  /// and where there is a drain the next one, for which ranks still wait as in the fill.
  std::int64_t unsettled_steps() const;
  /// Returns whether a body is one of the ramp or the cycle.
  bool repeats(int body) const;
  std::int64_t ramp_steps() const;
  std::int64_t cycle_steps() const;
  /// Returns for each of `bodies` bodies the number of steps of a cycle that run it.
  std::vector<std::int64_t> steps_of_bodies(std::size_t bodies) const;
  bool operator==(const Cadence&) const = default;
};

}  // namespace ddlbench::program
