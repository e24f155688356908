#include "graph/ops/reorder.h"

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {

std::vector<TensorType> Reorder::infer(Types inputs) const {
  require(inputs.size() == 1 && inputs[0].shape.size() >= 2, "reorder: the tensor has no channels");
  require(channel_block >= 1 && inputs[0].shape[1] % channel_block == 0,
          "reorder: the block does not divide the channels");
  return {{inputs[0].shape, inputs[0].dtype, channel_block}};
}

std::vector<Signature> Reorder::signatures(Types) const {
  return {{{sharded(0)}, {sharded(0)}}, {{sharded(1)}, {sharded(1)}}, {{partial_sum()}, {partial_sum()}}};
}

void Reorder::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<Reorder>(d.input_type(0).channel_block), {d.output_gradient(0)});
}

}  // namespace ddlbench::graph
