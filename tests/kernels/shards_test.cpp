#include "cases.h"
#include "catch.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/pool.h"

using namespace ddlbench;
using graph::Placement;
using test::HostTensor;

namespace {

/// The elements before, in and after a dimension: [outer][size][inner].
struct Strides {
  std::int64_t outer = 1, size = 1, inner = 1;
};

Strides strides_of(const graph::Shape& shape, int dimension) {
  Strides s;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    const std::int64_t size = shape[static_cast<std::size_t>(d)];
    (d < dimension ? s.outer : d == dimension ? s.size : s.inner) *= size;
  }
  return s;
}

graph::TensorType local_type(graph::TensorType type, const Placement& placement, int ranks, int rank) {
  if (placement.kind != Placement::Kind::sharded) return type;
  std::int64_t& size = type.shape[static_cast<std::size_t>(placement.dimension)];
  const auto part = graph::part_of(size, ranks, rank, placement.unit);
  size = part.end - part.begin;
  return type;
}

/// Calls body(index in the whole, index in the part).
template <class Body>
void each_of_part(const graph::TensorType& whole, const Placement& placement, int ranks, int rank, const Body& body) {
  const Strides s = strides_of(whole.shape, placement.dimension);
  const auto part = graph::part_of(s.size, ranks, rank, placement.unit);
  std::size_t to = 0;
  for (std::int64_t o = 0; o < s.outer; ++o) {
    for (std::int64_t i = part.begin * s.inner; i < part.end * s.inner; ++i, ++to)
      body(static_cast<std::size_t>(o * s.size * s.inner + i), to);
  }
}

/// Returns what a rank has of a tensor with this placement. Of a partial sum, it has a share of every element.
HostTensor part_of(const HostTensor& whole, const Placement& placement, int ranks, int rank) {
  HostTensor part = test::zeros(local_type(whole.type, placement, ranks, rank));
  if (placement.kind == Placement::Kind::sharded) {
    each_of_part(whole.type, placement, ranks, rank,
                 [&](std::size_t from, std::size_t to) { part.values[to] = whole.values[from]; });
  } else {
    part.values = whole.values;
  }
  if (placement.kind == Placement::Kind::partial_sum) {
    for (float& value : part.values)
      value *= static_cast<float>(rank + 1) / static_cast<float>(ranks * (ranks + 1) / 2);
  }
  return part;
}

/// Adds a rank's part to the whole; of a replicated tensor, only that of rank 0.
void gather(HostTensor& whole, const HostTensor& part, const Placement& placement, int ranks, int rank) {
  if (placement.kind == Placement::Kind::sharded) {
    each_of_part(whole.type, placement, ranks, rank,
                 [&](std::size_t to, std::size_t from) { whole.values[to] = part.values[from]; });
  } else if (placement.kind == Placement::Kind::partial_sum || rank == 0) {
    for (std::size_t i = 0; i < whole.values.size(); ++i) whole.values[i] += part.values[i];
  }
}

/// Returns the op for a rank's part of its first output.
graph::OpPtr local_op(const graph::OpPtr& op, const graph::Shape& whole, const Placement& placement, int ranks,
                      int rank) {
  std::vector<graph::Extent> box;
  for (const std::int64_t size : whole) box.push_back({0, size});
  if (placement.kind == Placement::Kind::sharded) {
    graph::Extent& extent = box[static_cast<std::size_t>(placement.dimension)];
    extent = graph::part_of(extent.size(), ranks, rank, placement.unit);
  }
  const graph::OpPtr here = op->at(box, whole);
  return here ? here : op;
}

std::vector<HostTensor> run_in_parts(kernels::Device& device, const test::Run& whole,
                                     const std::vector<HostTensor>& expected, const graph::Signature& signature,
                                     int ranks) {
  std::vector<HostTensor> gathered;
  for (const auto& tensor : expected) gathered.push_back(test::zeros(tensor.type));
  for (int rank = 0; rank < ranks; ++rank) {
    test::Run local{local_op(whole.op, expected[0].type.shape, signature.outputs[0], ranks, rank), {}, {}};
    for (std::size_t i = 0; i < whole.inputs.size(); ++i)
      local.inputs.push_back(part_of(whole.inputs[i], signature.inputs.at(i), ranks, rank));
    for (std::size_t o = 0; o < expected.size(); ++o)
      local.output_types.push_back(local_type(expected[o].type, signature.outputs.at(o), ranks, rank));
    const auto outputs = test::run(device, local);
    for (std::size_t o = 0; o < expected.size(); ++o)
      gather(gathered[o], outputs[o], signature.outputs[o], ranks, rank);
  }
  return gathered;
}

/// Checks every placement that the op supports, over 2 and 3 ranks, also with unequal parts. Returns their number.
std::size_t check_signatures(const test::Run& whole, double terms) {
  std::vector<graph::TensorType> types;
  for (const auto& tensor : whole.inputs) types.push_back(tensor.type);
  const auto signatures = whole.op->signatures(types);
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    const auto expected = test::run(*device, whole);
    for (const auto& signature : signatures) {
      for (const int ranks : {2, 3}) {
        CAPTURE(kind.name, whole.op->kind(), whole.op->attributes(), ranks, graph::to_string(signature.inputs[0]));
        const auto gathered = run_in_parts(*device, whole, expected, signature, ranks);
        for (std::size_t o = 0; o < expected.size(); ++o)
          CHECK(test::largest_error(gathered[o], expected[o], 1.0) <= 2 * test::tolerance(terms));
      }
    }
  }
  return signatures.size();
}

}  // namespace

TEST_CASE("shards of convolutions equal the whole", "[N2]") {
  const graph::ConvolutionAttributes one{1, 1}, dilated{2, 2, 2}, grouped{1, 1, 1, 3};
  for (const auto& geometry : {one, dilated, grouped}) {
    const auto x = test::random_tensor({5, 6, 7, 8}, "x"), b = test::random_tensor({9}, "b");
    const auto w = test::random_tensor({9, 6 / geometry.groups, 3, 3}, "w");
    const bool in_groups = geometry.groups > 1;
    const auto conv = std::make_shared<graph::Conv2d>(geometry, false, graph::Activation::none);
    const auto y = conv->infer(std::vector<graph::TensorType>{x.type, w.type})[0];
    const auto dz = test::random_tensor(y.shape, "dz");
    const double terms = 54, weight_terms = 5.0 * static_cast<double>(y.shape[2] * y.shape[3]);
    CHECK(check_signatures({conv, {x, w}, {}}, terms) == (in_groups ? 2 : 3));
    const auto finished = std::make_shared<graph::Conv2d>(geometry, true, graph::Activation::relu);
    CHECK(check_signatures({finished, {x, w, b}, {}}, terms) == 2);
    const auto input = std::make_shared<graph::Conv2dBackwardInput>(geometry, 7, 8);
    CHECK(check_signatures({input, {dz, w}, {}}, 81) == (in_groups ? 2 : 3));
    const auto weight = std::make_shared<graph::Conv2dBackwardWeight>(geometry, 3, true);
    CHECK(check_signatures({weight, {x, dz}, {}}, weight_terms) == (in_groups ? 2 : 3));
  }
}

TEST_CASE("shards of pools by batch and by channels equal the whole") {
  const auto x = test::random_tensor({5, 7, 9, 8}, "x");
  const auto oracle = test::device("reference");
  for (const auto& geometry : {graph::PoolAttributes{2, 2}, graph::PoolAttributes{3, 2, 1}}) {
    const auto max = std::make_shared<graph::MaxPool2d>(geometry);
    const auto kept = test::run(*oracle, {max, {x}, {}});
    const auto dy = test::random_tensor(kept[0].type.shape, "dy");
    CHECK(check_signatures({max, {x}, {}}, 1) == 2);
    CHECK(check_signatures({std::make_shared<graph::MaxPool2dBackward>(geometry, 9, 8), {dy, kept[1]}, {}}, 9) == 2);
    CHECK(check_signatures({std::make_shared<graph::AveragePool2d>(geometry), {x}, {}}, 9) == 3);
    CHECK(check_signatures({std::make_shared<graph::AveragePool2dBackward>(geometry, 9, 8), {dy}, {}}, 9) == 3);
  }
  for (const auto& [height, width] : {std::pair{1, 1}, {4, 11}}) {
    const auto dy = test::random_tensor({5, 7, height, width}, "dy");
    CHECK(check_signatures({std::make_shared<graph::AdaptiveAveragePool2d>(height, width), {x}, {}}, 72) == 3);
    CHECK(check_signatures({std::make_shared<graph::AdaptiveAveragePool2dBackward>(9, 8), {dy}, {}}, 44) == 3);
  }
}
