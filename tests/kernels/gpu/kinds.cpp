#include "kernels/harness.h"

namespace ddlbench::test {

std::vector<kernels::DeviceKind> kinds() {
  std::vector<kernels::DeviceKind> found;
  for (const auto& kind : kernels::device_kinds()) {
    if (kind.name == "cuda") found.push_back(kind);
  }
  return found;
}

std::vector<std::unique_ptr<kernels::Device>> every_device() {
  std::vector<std::unique_ptr<kernels::Device>> all;
  for (const auto& kind : kinds()) all.push_back(device(kind.name, 2));
  return all;
}

/// A library may round the sums of a product before it adds a bias, an activation or the previous output. The logits of
/// a fused linear cross-entropy, up to about 8, are stored in 16 bits. So are attention's weights, up to 1, which are
/// multiplied by values up to 2; in the backward pass also their gradients, up to about 8.
double roundings(std::string_view op_kind) {
  if (op_kind.starts_with("conv2d") || op_kind.starts_with("linear")) return 3;
  if (op_kind.starts_with("linear_cross_entropy") || op_kind == "attention_backward") return 16;
  return op_kind == "attention" ? 4 : 1;
}

}  // namespace ddlbench::test
