#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/op.h"

namespace ddlbench::graph {

/// The position of a shard in a sample: along `dimension` it begins at `begin` of `size`. If `size` is 0, the shard is
/// the whole sample.
struct DropoutPart {
  int dimension = 1;
  std::int64_t begin = 0;
  std::int64_t size = 0;
  bool operator==(const DropoutPart&) const = default;
};

/// (x[N, …], samples i32[N]) -> y: each element is zero with probability `rate`, otherwise x / (1 − rate). Element e
/// (row-major in the whole sample) of sample s is kept if word e % 4 of Philox with key (Scalars::seed, dropout,
/// `layer`) and counter (Scalars::step, s · 2³² + e / 4) is at least rate · 2³². So the mask is the same for every
/// sharding and in recomputation. The derivative is the same op on dy.
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

/// Adds a dropout node NAME, which is the identity in evaluation, and returns its output. It uses the graph's tensor of
/// role sample, and adds that if there is none. If `rate` is 0, adds nothing and returns x.
TensorId add_dropout(Graph& graph, const std::string& name, TensorId x, float rate);

}  // namespace ddlbench::graph
