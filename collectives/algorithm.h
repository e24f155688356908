#pragma once

#include <compare>
#include <string>
#include <vector>

#include "collectives/payload.h"
#include "collectives/steps.h"
#include "graph/placement.h"

namespace ddlbench::collectives {

/// Emits the steps of one `rank` of the payload's members.
using EmitSteps = void (*)(const Payload& payload, int rank, const Emit& emit);

/// A collective algorithm: one line of algorithms.def and one file. The function of a collective that it does not
/// implement is null. The steps determine the scratch and the order of summation; comments at their definitions
/// describe both. After an all-reduce, all ranks hold the same bits.
struct AlgorithmKind {
  std::string name;  ///< as written in configurations, plans, cost tables and tables of results
  std::string help;
  EmitSteps all_reduce = nullptr;      ///< input and output: the whole tensor
  EmitSteps reduce_scatter = nullptr;  ///< input: the whole tensor; output: the rank's own part
  EmitSteps all_gather = nullptr;      ///< input: the rank's own part; output: the whole tensor
};

/// A reference to the algorithm of a collective. The plan names it, so the bytes on the wire are known in advance.
class Algorithm {
 public:
  Algorithm();  ///< the first algorithm of the list

  const std::string& name() const { return kind_->name; }
  const std::string& help() const { return kind_->help; }
  /// Returns the function that emits the steps, or null if the algorithm does not implement the collective. All-to-all
  /// and broadcast have a single implementation each (pairwise.h, tree.h) and no algorithms.
  EmitSteps steps(graph::Collective collective) const;

  /// Compares by position in the list.
  auto operator<=>(const Algorithm&) const = default;

 private:
  friend const std::vector<Algorithm>& all_algorithms();
  explicit Algorithm(const AlgorithmKind& kind) : kind_(&kind) {}
  const AlgorithmKind* kind_;  ///< points into one static array
};

/// Returns the algorithms of algorithms.def, in its order, followed by `native`.
const std::vector<Algorithm>& all_algorithms();

/// Returns whether the collective has algorithms to choose from. All-to-all and broadcast have none: each has a single
/// implementation.
bool has_algorithms(graph::Collective collective);

/// Returns the algorithms of algorithms.def that implement the collective, in its order.
std::vector<Algorithm> algorithms(graph::Collective collective);

/// Returns the algorithm that stands for the transport's own implementation, if the transport has one. That
/// implementation is not made of steps: the steps returned for it are those of the ring, and its traffic is assumed to
/// equal theirs.
Algorithm native();
/// Returns the number of elements that `rank` is assumed to send with the native algorithm.
std::int64_t nominal_elements(graph::Collective collective, const Payload& payload, int rank);

Algorithm find_algorithm(const std::string& name);  ///< throws InputError with the nearest name

}  // namespace ddlbench::collectives
