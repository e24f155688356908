#include "graph/ops/attention.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {
namespace {

/// FLOPs of one product of queries and keys: 2·B·heads·S(S+1)/2·D, because the causal mask removes half of the square.
double product_flops(const Shape& y) {
  return static_cast<double>(elements(y)) * static_cast<double>(y[1] + 1);
}

}  // namespace

std::vector<TensorType> Attention::infer(Types inputs) const {
  const Shape& qkv = inputs[0].shape;
  if (qkv.size() != 3 || qkv[2] % (3 * head_size) != 0)
    throw InputError(
        fmt::format("attention: {} is not batch x positions x whole heads of 3 x {}", to_string(qkv), head_size));
  const std::int64_t heads = qkv[2] / (3 * head_size);
  return {{{qkv[0], qkv[1], heads * head_size}, inputs[0].dtype}, {{qkv[0], heads, qkv[1]}, DType::f32}};
}

/// Two products: queries with keys, and softmax with values. The other work is small in comparison.
double Attention::flops(Types, Types outputs) const {
  return 2 * product_flops(outputs[0].shape);
}

std::vector<Signature> Attention::signatures(Types) const {
  return {{{sharded(0)}, {sharded(0), sharded(0)}}, {{sharded(2, 3 * head_size)}, {sharded(2, head_size), sharded(1)}}};
}

void Attention::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<AttentionBackward>(head_size),
                   {d.output_gradient(0), d.input(0), d.output(0), d.output(1)});
}

std::vector<TensorType> AttentionBackward::infer(Types inputs) const {
  require(inputs.size() == 4 && inputs[0] == inputs[2], "attention_backward: dy and y differ in type");
  return {inputs[1]};
}

/// Five products: the scores again, and the gradients of softmax, values, queries and keys.
double AttentionBackward::flops(Types inputs, Types) const {
  return 5 * product_flops(inputs[0].shape);
}

std::vector<Signature> AttentionBackward::signatures(Types) const {
  const Placement features = sharded(2, head_size), fused = sharded(2, 3 * head_size);
  return {{{sharded(0), sharded(0), sharded(0), sharded(0)}, {sharded(0)}},
          {{features, fused, features, sharded(1)}, {fused}}};
}

}  // namespace ddlbench::graph
