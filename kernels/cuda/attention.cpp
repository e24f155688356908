#include "graph/ops/attention.h"

#include <fmt/core.h>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "graph/ops/cast.h"
#include "kernels/binding.h"
#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/choose.h"
#include "kernels/cuda/dnn/attention.h"
#include "kernels/cuda/dnn/plan.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/workspace.h"
#include "kernels/operands.h"
#include "kernels/rewrite/rewritten.h"
#include "kernels/rewrite/widen.h"

namespace ddlbench::kernels::cuda {
namespace {

bool empty(const AttentionSizes& z) {
  return z.batch * z.positions * z.heads == 0;
}

/// Returns the number of rows: samples · heads · positions.
std::int64_t rows_of(const AttentionSizes& z) {
  return z.batch * z.heads * z.positions;
}

/// Prepares our own f32 kernels. Throws InputError if they do not support the sizes on this GPU.
void prepare_own(const Context& context, const Binding& binding, const AttentionSizes& z, AttentionPass pass) {
  expect(binding, z.head_size <= largest_head_size, "heads have at most 256 features on this device");
  expect(binding, rows_of(z) <= std::numeric_limits<std::int32_t>::max(), "it exceeds a GPU's grid");
  if (prepare_attention(pass, z, context.shared_bytes_per_block)) return;
  reject(binding, fmt::format("its smallest tiles need {} bytes of shared memory for each block, and {} has {}",
                              least_shared_bytes(pass, z.head_size), context.gpu, context.shared_bytes_per_block));
}

std::unique_ptr<Kernel> bind_own(const Context& context, const Binding& binding, const AttentionSizes& z) {
  prepare_own(context, binding, z, AttentionPass::forward);
  return make_kernel(binding, [&context, z](const Arguments& a) {
    launch_attention(context.stream, z, context.shared_bytes_per_block, input(a, 0), output(a, 0), output(a, 1));
  });
}

std::unique_ptr<Kernel> bind_own_backward(const Context& context, const Binding& binding, const AttentionSizes& z) {
  prepare_own(context, binding, z, AttentionPass::backward);
  return make_kernel(binding, static_cast<std::size_t>(rows_of(z)) * sizeof(float), [&context, z](const Arguments& a) {
    const AttentionGradient operands{input(a, 0), input(a, 1),  input(a, 2),
                                     input(a, 3), output(a, 0), static_cast<float*>(a.workspace)};
    launch_attention_backward(context.stream, z, context.shared_bytes_per_block, operands);
  });
}

/// 16-bit attention by cuDNN.
class FusedAttention final : public Kernel {
 public:
  FusedAttention(const Dnn& dnn, const dnn::Descriptor& configuration, const AttentionSizes& z, const Binding& binding)
      : dnn_(dnn),
        plan_(dnn, configuration),
        part_bytes_(static_cast<std::size_t>(z.head_size) * graph::size_of(binding.outputs[0].dtype)),
        sums_(aligned_bytes(plan_.workspace_bytes())),
        scale_(1.0f / std::sqrt(static_cast<float>(z.head_size))),
        backward_(binding.inputs.size() == 4),
        workspace_bytes_(sums_ + (backward_ ? static_cast<std::size_t>(rows_of(z)) * sizeof(float) : 0)),
        flops_(flops_of(binding)) {}

  void launch(const Arguments& a) override {
    const void* qkv = a.inputs[backward_ ? 1 : 0];
    char* const workspace = aligned_workspace(a.workspace);
    begin();
    add_parts(dnn::id_query, const_cast<void*>(qkv));
    add(dnn::id_scale, &scale_);
    add(dnn::id_hidden, &hidden_);
    if (backward_) {
      add(dnn::id_one, &one_);
      add(dnn::id_dy, const_cast<void*>(a.inputs[0]));
      add(dnn::id_result, const_cast<void*>(a.inputs[2]));
      add(dnn::id_statistics, const_cast<void*>(a.inputs[3]));
      add_parts(dnn::id_query_gradient, a.outputs[0]);
      add(dnn::id_sums, workspace + sums_);
    } else {
      add(dnn::id_result, a.outputs[0]);
      add(dnn::id_statistics, a.outputs[1]);
    }
    plan_.run(dnn_, ids_, pointers_, workspace);
  }
  std::size_t workspace_bytes() const override { return bytes_with_alignment(workspace_bytes_); }
  double flops() const override { return flops_; }

 private:
  void begin() {
    ids_.clear();
    pointers_.clear();
  }
  void add(std::int64_t id, void* memory) {
    ids_.push_back(id);
    pointers_.push_back(memory);
  }
  /// Adds query, key and value, or their gradients. Their ids are consecutive.
  void add_parts(std::int64_t first, void* fused) {
    for (std::int64_t part = 0; part < 3; ++part)
      add(first + part, static_cast<char*>(fused) + static_cast<std::size_t>(part) * part_bytes_);
  }

  const Dnn& dnn_;
  dnn::Plan plan_;
  std::size_t part_bytes_;  ///< offset from query to key, and from key to value
  std::size_t sums_;        ///< offset in the workspace
  float scale_;
  float hidden_ = std::numeric_limits<float>::lowest();
  float one_ = 1;
  bool backward_;
  std::size_t workspace_bytes_;
  double flops_;
  std::vector<std::int64_t> ids_;
  std::vector<void*> pointers_;
};

/// Returns null if none of cuDNN's engines can compute it, as for heads whose size is not a multiple of 8.
std::unique_ptr<Kernel> bind_fused(const Context& context, const Binding& binding, const AttentionSizes& z,
                                   dnn::Graph (*graph_of)(const AttentionSizes&, graph::DType)) {
  expect(binding, fully_aligned(binding), "cuDNN needs its operands aligned to 16 bytes");
  std::shared_ptr<const dnn::Configurations> configurations;
  try {
    const dnn::Graph graph = graph_of(z, binding.outputs[0].dtype);
    const dnn::Engines engines = dnn::engines_for(context, binding.outputs[0].dtype);
    configurations = std::make_shared<const dnn::Configurations>(*context.dnn, graph, engines);
  } catch (const dnn::DnnError&) {
    return nullptr;
  }
  if (configurations->size() == 0) return nullptr;
  std::vector<KernelCandidate> candidates;
  for (std::size_t i = 0; i < configurations->size(); ++i) {
    candidates.push_back(
        {dnn::name_of((*configurations)[i]), 0, false, [&, configurations, i]() -> std::unique_ptr<Kernel> {
           try {
             return std::make_unique<FusedAttention>(*context.dnn, (*configurations)[i], z, binding);
           } catch (const dnn::DnnError&) {
             return nullptr;
           }
         }});
  }
  try {
    return choose_fastest(context, binding, candidates);
  } catch (const InputError&) {  // no engine that cuDNN lists can be planned, or none runs
    return nullptr;
  }
}

/// Returns the own f32 kernel of `bind_wide`, on operands that are converted in workspace.
std::unique_ptr<Kernel> bind_in_f32(const Context& context, const Binding& binding,
                                    const std::function<std::unique_ptr<Kernel>(const Binding&)>& bind_wide) {
  const auto cast = [&context](const graph::TensorType& from, const graph::TensorType& to) {
    KernelTable table("cuda");
    add_cast(table, context);
    std::shared_ptr<Kernel> kernel = table.bind({{std::make_shared<graph::Cast>(to.dtype)}, {from}, {to}});
    return [kernel](const void* operand, void* converted) { kernel->launch({&operand, &converted, nullptr, nullptr}); };
  };
  const auto conversion = [&](const graph::TensorType& narrow) -> std::optional<Rewriting> {
    if (!graph::is_narrow(narrow.dtype)) return std::nullopt;
    graph::TensorType wide = narrow;
    wide.dtype = graph::DType::f32;
    return Rewriting{graph::bytes(wide), cast(narrow, wide), cast(wide, narrow)};
  };
  return on_rewritten(binding, bind_wide(widened(binding)), conversion);
}

std::unique_ptr<Kernel> bind_nothing(const Binding& binding) {
  return make_kernel(binding, [](const Arguments&) {});
}

}  // namespace

void add_attention(KernelTable& table, const Context& context) {
  table.add("attention", [&context](const Binding& binding) {
    const auto z = sizes_of_attention(binding, Storage::any_float);
    if (empty(z)) return bind_nothing(binding);
    if (binding.outputs[0].dtype == graph::DType::f32) return bind_own(context, binding, z);
    const auto own = [&](const Binding& wide) { return bind_own(context, wide, z); };
    auto fused = bind_fused(context, binding, z, dnn::graph_of_attention);
    return fused != nullptr ? std::move(fused) : bind_in_f32(context, binding, own);
  });
}

void add_attention_backward(KernelTable& table, const Context& context) {
  table.add("attention_backward", [&context](const Binding& binding) {
    const auto z = sizes_of_attention_backward(binding, Storage::any_float);
    if (empty(z)) return bind_nothing(binding);
    if (binding.outputs[0].dtype == graph::DType::f32) return bind_own_backward(context, binding, z);
    const auto own = [&](const Binding& wide) { return bind_own_backward(context, wide, z); };
    auto fused = bind_fused(context, binding, z, dnn::graph_of_attention_backward);
    return fused != nullptr ? std::move(fused) : bind_in_f32(context, binding, own);
  });
}

}  // namespace ddlbench::kernels::cuda
