#include "kernels/rewrite/widen.h"

#include <utility>
#include <vector>

#include "kernels/rewrite/convert.h"
#include "kernels/rewrite/rewritten.h"

namespace ddlbench::kernels {
namespace {

std::vector<graph::TensorType> widened(std::vector<graph::TensorType> types) {
  for (graph::TensorType& type : types) {
    if (is_narrow(type.dtype)) type.dtype = graph::DType::f32;
  }
  return types;
}

}  // namespace

Binding widened(const Binding& binding) {
  return {binding, widened(binding.inputs), widened(binding.outputs)};
}

std::unique_ptr<Kernel> widen(const Binding& narrow, std::unique_ptr<Kernel> wide, int threads) {
  return on_rewritten(narrow, std::move(wide), [threads](const graph::TensorType& type) -> std::optional<Rewriting> {
    if (!is_narrow(type.dtype)) return std::nullopt;
    const std::int64_t size = graph::elements(type.shape);
    return Rewriting{static_cast<std::size_t>(size) * sizeof(float),
                     [=, dtype = type.dtype](const void* from, void* to) {
                       kernels::widen(threads, dtype, from, static_cast<float*>(to), size);
                     },
                     [=, dtype = type.dtype](const void* from, void* to) {
                       kernels::narrow(threads, dtype, static_cast<const float*>(from), to, size);
                     }};
  });
}

}  // namespace ddlbench::kernels
