#include "collectives/algorithm.h"

#include "base/names.h"

namespace ddlbench::collectives {

#define DDLBENCH_ALGORITHM(name) AlgorithmKind name();
#include "collectives/algorithms.def"
#undef DDLBENCH_ALGORITHM

namespace {

AlgorithmKind native_kind() {
  AlgorithmKind kind = ring();
  kind.name = "native";
  kind.help = "the transport's own algorithm; its traffic is assumed to be the ring's";
  return kind;
}

const std::vector<AlgorithmKind>& kinds() {
  static const std::vector<AlgorithmKind> all{
#define DDLBENCH_ALGORITHM(name) name(),
#include "collectives/algorithms.def"
#undef DDLBENCH_ALGORITHM
      native_kind()};
  return all;
}

}  // namespace

Algorithm::Algorithm() : kind_(&kinds().front()) {}

EmitSteps Algorithm::steps(graph::Collective collective) const {
  switch (collective) {
    case graph::Collective::all_reduce:
      return kind_->all_reduce;
    case graph::Collective::reduce_scatter:
      return kind_->reduce_scatter;
    case graph::Collective::all_gather:
      return kind_->all_gather;
    case graph::Collective::all_to_all:
    case graph::Collective::broadcast:
      break;
  }
  return nullptr;
}

bool has_algorithms(graph::Collective collective) {
  return Algorithm().steps(collective) != nullptr;
}

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> list;
    for (const AlgorithmKind& kind : kinds()) list.push_back(Algorithm(kind));
    return list;
  }();
  return all;
}

std::vector<Algorithm> algorithms(graph::Collective collective) {
  std::vector<Algorithm> made;
  for (const Algorithm algorithm : all_algorithms()) {
    if (algorithm != native() && algorithm.steps(collective) != nullptr) made.push_back(algorithm);
  }
  return made;
}

Algorithm native() {
  return all_algorithms().back();
}

std::int64_t nominal_elements(graph::Collective collective, const Payload& payload, int rank) {
  return sent_elements([&](const Emit& emit) { native().steps(collective)(payload, rank, emit); });
}

Algorithm find_algorithm(const std::string& name) {
  const AlgorithmKind& kind = find_named(kinds(), name, "algorithm");
  return all_algorithms()[static_cast<std::size_t>(&kind - kinds().data())];
}

}  // namespace ddlbench::collectives
