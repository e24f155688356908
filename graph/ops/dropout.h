#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// Where a shard of a sample lies: along one dimension, `begin` of `size`. A size of 0: the shard is the whole.
struct DropoutPart {
  int dimension = 1;
  std::int64_t begin = 0;
  std::int64_t size = 0;
  bool operator==(const DropoutPart&) const = default;
};

/// (x[N, …], samples i32[N]) -> y: each element is zero with probability `rate`, else x / (1 − rate). Element e
/// (row-major in the whole sample) of sample s keeps its value where word e % 4 of Philox at key (Scalars::seed,
/// dropout, `layer`), counter (Scalars::step, s · 2³² + e / 4), is at least rate · 2³²: whatever the sharding, and
/// again in recomputation. The derivative is the same op on dy.
struct Dropout final : Op {
  Dropout(float p, std::string name, DropoutPart where = {}) : rate(p), layer(std::move(name)), part(where) {}
  float rate;
  std::string layer;
  DropoutPart part;

  std::string_view kind() const override { return "dropout"; }
  std::string attributes() const override;
  std::vector<TensorType> infer(Types inputs) const override;
  double flops_per_element() const override { return 1; }
  std::vector<Signature> signatures(Types inputs) const override;
  void differentiate(Differentiation& d) const override;
  std::shared_ptr<const Op> at(std::span<const Extent> box, const Shape& shape) const override;
};

/// A node NAME that draws for the samples of the graph's one tensor of role sample, which is made where there is none,
/// and is the identity in evaluation. A rate of 0 adds nothing and returns x.
TensorId add_dropout(Graph& graph, const std::string& name, TensorId x, float rate);

}  // namespace ddlbench::graph
