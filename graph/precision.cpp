#include "base/error.h"

#include <fmt/core.h>
#include "graph/byte_inputs.h"
#include "graph/ops/cast.h"
#include "graph/ops/normalise.h"
#include "graph/rewrite.h"

namespace ddlbench::graph {
namespace {

bool is_f32_input(const TensorSpec& spec) {
  return spec.role == Role::input && spec.type.dtype == DType::f32;
}

/// Returns the model with parameters of `dtype`, and with inputs of `input_dtype` instead of f32. A node INPUT.`first`
/// with `first_op` converts each of these inputs.
Graph rebuilt(const Graph& forward, DType dtype, DType input_dtype, const std::string& first, const OpPtr& first_op) {
  return rebuild(
      forward,
      [=](TensorSpec& spec) {
        if (spec.role == Role::parameter) spec.type.dtype = dtype;
        if (is_f32_input(spec)) spec.type.dtype = input_dtype;
      },
      same_node(forward),
      [&](Graph& to, std::vector<TensorId>& mapped) {
        for (const TensorId input : forward.with_role(Role::input)) {
          const TensorSpec& spec = forward.tensors[static_cast<std::size_t>(input)];
          if (!is_f32_input(spec)) continue;
          TensorId& mapped_input = mapped[static_cast<std::size_t>(input)];
          mapped_input = to.add(fmt::format("{}.{}", spec.name, first), first_op, {mapped_input}).at(0);
        }
      });
}

void require_float(DType dtype) {
  require(is_float(dtype), "a model's precision must be a floating-point type");
}

}  // namespace

Graph in_precision(const Graph& forward, DType dtype) {
  require_float(dtype);
  if (dtype == DType::f32) return forward;
  return rebuilt(forward, dtype, DType::f32, "cast", std::make_shared<Cast>(dtype));
}

Graph with_byte_inputs(const Graph& forward, const Normalisation& normalisation, DType dtype) {
  require_float(dtype);
  return rebuilt(forward, dtype, DType::u8, "normalise", std::make_shared<Normalise>(normalisation, dtype));
}

}  // namespace ddlbench::graph
