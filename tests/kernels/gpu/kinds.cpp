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

/// A library may store the sums of a product before a bias, an activation or what lies in the output is added. A
/// head's logits, up to about 8 in size, lie in 16 bits. So do attention's weights, up to 1, that its values, up to 2,
/// are multiplied by; backward also their gradients, up to about 8.
double roundings(std::string_view op_kind) {
  if (op_kind.starts_with("conv2d") || op_kind.starts_with("linear")) return 3;
  if (op_kind.starts_with("head_loss") || op_kind == "attention_backward") return 16;
  return op_kind == "attention" ? 4 : 1;
}

}  // namespace ddlbench::test
