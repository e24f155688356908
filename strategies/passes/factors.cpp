#include "strategies/passes/factors.h"

#include <algorithm>

namespace ddlbench::strategies {
namespace {

/// Calls body(parameter, matrix) for each approximated parameter of the bucket, in the order of the flat buffer.
void each_matrix(const FlatLayout& layout, std::size_t bucket, int rank, const auto& body) {
  std::vector<std::size_t> members = layout.buckets[bucket].members;
  std::sort(members.begin(), members.end());
  for (const std::size_t member : members) {
    const FlatParameter& parameter = layout.parameters[member];
    const graph::Shape& shape = parameter.type.shape;
    if (shape.size() < 2 || graph::elements(shape) == 0) continue;
    const graph::BucketMatrix matrix{parameter.range.begin - layout.buckets[bucket].begin, shape[0],
                                     graph::elements(shape) / shape[0]};
    if (graph::compresses(rank, matrix.rows, matrix.columns)) body(parameter, matrix);
  }
}

}  // namespace

graph::LowRankLayout low_rank_layout(const FlatLayout& layout, std::size_t bucket, int rank) {
  graph::LowRankLayout result{layout.buckets[bucket].elements(), rank, {}};
  each_matrix(layout, bucket, rank,
              [&](const FlatParameter&, const graph::BucketMatrix& matrix) { result.matrices.push_back(matrix); });
  return result;
}

std::vector<program::StateShard> factors_of(const FlatLayout& layout, const graph::Graph& model, std::size_t bucket,
                                            int rank) {
  std::vector<program::StateShard> factors;
  each_matrix(layout, bucket, rank, [&](const FlatParameter& parameter, const graph::BucketMatrix&) {
    const graph::TensorSpec& weight = model.tensors[static_cast<std::size_t>(parameter.tensor)];
    program::StateShard& factor = factors.emplace_back();
    factor.drawn_as = weight.name + ".power_sgd_q";
    factor.tensor = program::of_all_ranks(factor.drawn_as);
    factor.memory_class = program::MemoryClass::optimizer_state;
    factor.whole = {weight.type.shape, graph::DType::f32, weight.type.channel_block};
    factor.whole.shape[0] = rank;
    factor.initializer = {graph::Initializer::Kind::normal, 0, 1};
    for (const std::int64_t size : factor.whole.shape) factor.box.push_back({0, size});
  });
  return factors;
}

}  // namespace ddlbench::strategies
