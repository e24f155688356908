#include "kernels/reference/device.h"

#include "kernels/host_device.h"
#include "kernels/reference/ops.h"

namespace ddlbench::kernels::reference {
namespace {

class ReferenceDevice final : public HostDevice {
 public:
  std::string kind() const override { return "reference"; }
  std::string description() const override { return processor_name() + ", plain loops, 1 thread"; }
  std::unique_ptr<Kernel> bind(const Binding& binding) override { return table_.bind(binding); }

 private:
  KernelTable table_ = all_kernels();
};

}  // namespace

KernelTable all_kernels() {
  KernelTable table("reference");
  add_conv2d(table);
  add_conv2d_backward_input(table);
  add_conv2d_backward_weight(table);
  add_linear(table);
  add_linear_backward_input(table);
  add_linear_backward_weight(table);
  add_max_pool2d(table);
  add_max_pool2d_backward(table);
  add_activation_backward(table);
  add_bias_activation(table);
  add_bias_backward(table);
  add_cross_entropy(table);
  add_cross_entropy_backward(table);
  add_add(table);
  add_gelu(table);
  add_gelu_backward(table);
  add_embedding(table);
  add_embedding_backward_weight(table);
  add_add_positions(table);
  add_add_positions_backward_weight(table);
  add_layer_norm(table);
  add_layer_norm_backward_input(table);
  add_layer_norm_backward_weight(table);
  add_attention(table);
  add_attention_backward(table);
  add_split_parts(table);
  add_join_parts(table);
  add_slice(table);
  add_sgd_update(table);
  add_adam_update(table);
  return table;
}

std::unique_ptr<Device> make_device(const DeviceOptions&) {
  return std::make_unique<ReferenceDevice>();
}

}  // namespace ddlbench::kernels::reference
