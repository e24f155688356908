#pragma once

#include <compare>
#include <string>
#include <vector>

#include "collectives/payload.h"
#include "collectives/steps.h"
#include "graph/placement.h"

namespace ddlbench::collectives {

/// Emits what `rank` of the payload's members does.
using EmitSteps = void (*)(const Payload& payload, int rank, const Emit& emit);

/// One way to make collectives: a line of algorithms.def, a file of its own. Of a kind that it does not make the steps
/// are null. Scratch and the order of summation follow from the steps, and are said in words where these are defined;
/// at the end of an all-reduce all ranks have the same bits.
struct AlgorithmKind {
  std::string name;  ///< in configurations, plans, cost tables and tables of results
  std::string help;
  EmitSteps all_reduce = nullptr;      ///< input and output: the whole
  EmitSteps reduce_scatter = nullptr;  ///< input: the whole; output: the own part
  EmitSteps all_gather = nullptr;      ///< input: the own part; output: the whole
};

/// The algorithm of a collective, named in the plan, so that bytes on the wire are known beforehand.
class Algorithm {
 public:
  Algorithm();  ///< the first of the list

  const std::string& name() const { return kind_->name; }
  const std::string& help() const { return kind_->help; }
  /// Null where it does not make that kind of collective. What has one way alone is in no list (pairwise.h, tree.h).
  EmitSteps steps(graph::Collective collective) const;

  /// In the order of the list.
  auto operator<=>(const Algorithm&) const = default;

 private:
  friend const std::vector<Algorithm>& every_algorithm();
  explicit Algorithm(const AlgorithmKind& kind) : kind_(&kind) {}
  const AlgorithmKind* kind_;  ///< of one static array
};

/// Those of algorithms.def, in its order, and `native`.
const std::vector<Algorithm>& every_algorithm();

/// Whether there are algorithms for the collective: an all-to-all and a broadcast have one way each.
bool has_algorithms(graph::Collective collective);

/// Those of algorithms.def that make the collective, in its order.
std::vector<Algorithm> algorithms(graph::Collective collective);

/// The transport's own, of one that has such. It is not made of steps: those that it names are the ring's, and what it
/// sends is taken to be what they would.
Algorithm native();
/// Elements that `rank` is taken to send by it.
std::int64_t nominal_elements(graph::Collective collective, const Payload& payload, int rank);

Algorithm find_algorithm(const std::string& name);  ///< throws InputError naming the nearest

}  // namespace ddlbench::collectives
