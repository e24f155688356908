#include "graph/error.h"
#include "graph/ops/cast.h"
#include "graph/rewrite.h"

namespace ddlbench::graph {

Graph in_precision(const Graph& forward, DType dtype) {
  require(dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16,
          "the precision of a model is that of a floating-point type");
  if (dtype == DType::f32) return forward;
  return rebuild(
      forward,
      [dtype](TensorSpec& spec) {
        if (spec.role == Role::parameter) spec.type.dtype = dtype;
      },
      [&forward](Graph& to, NodeId id, std::vector<TensorId> inputs) {
        const Node& node = forward.nodes[static_cast<std::size_t>(id)];
        return to.add(node.name, node.op, std::move(inputs), node.phase, node.origin);
      },
      [&forward, dtype](Graph& to, std::vector<TensorId>& mapped) {
        for (const TensorId input : forward.with_role(Role::input)) {
          const TensorSpec& spec = forward.tensors[static_cast<std::size_t>(input)];
          if (spec.type.dtype != DType::f32) continue;
          TensorId& stands = mapped[static_cast<std::size_t>(input)];
          stands = to.add(spec.name + ".cast", std::make_shared<Cast>(dtype), {stands}).at(0);
        }
      });
}

}  // namespace ddlbench::graph
