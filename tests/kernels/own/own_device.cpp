#include "own_device.h"

#include <algorithm>

#include "kernels/own/add_positions.h"
#include "kernels/own/batch_moments.h"
#include "kernels/own/batch_norm.h"
#include "kernels/own/cast.h"
#include "kernels/own/codec.h"
#include "kernels/own/column_sums.h"
#include "kernels/own/cross_entropy.h"
#include "kernels/own/dropout.h"
#include "kernels/own/elementwise.h"
#include "kernels/own/embedding.h"
#include "kernels/own/finish.h"
#include "kernels/own/layer_norm.h"
#include "kernels/own/layer_norm_weight.h"
#include "kernels/own/linear_cross_entropy.h"
#include "kernels/own/loss_scale.h"
#include "kernels/own/low_rank.h"
#include "kernels/own/normalise.h"
#include "kernels/own/norms.h"
#include "kernels/own/optimizer.h"
#include "kernels/own/parts.h"
#include "kernels/own/pool.h"
#include "kernels/own/pool_average.h"
#include "kernels/own/readiness.h"
#include "kernels/own/reorder.h"
#include "kernels/own/squared_error.h"
#include "kernels/own/statistics.h"
#include "kernels/reference/ops.h"

namespace ddlbench::test {
namespace {

using namespace kernels;

/// A product whose output or inputs have padded rows, computed by a kernel for dense rows.
class PaddedProduct final : public Kernel {
 public:
  PaddedProduct(const Binding& padded, const Binding& dense, std::unique_ptr<Kernel> kernel)
      : kernel_(std::move(kernel)) {
    for (std::size_t i = 0; i < dense.inputs.size(); ++i)
      inputs_.emplace_back(dense.inputs[i], padded.inputs[i].shape.back());
    output_ = {dense.outputs[0], padded.outputs[0].shape.back()};
  }
  void launch(const Arguments& a) override {
    std::vector<const void*> inputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i) inputs.push_back(inputs_[i].gather(a.inputs[i]));
    void* output = output_.gather(a.outputs[0]);
    kernel_->launch({inputs.data(), &output, a.workspace, a.scalars});
    output_.scatter(a.outputs[0]);
  }
  std::size_t workspace_bytes() const override { return kernel_->workspace_bytes(); }
  double flops() const override { return kernel_->flops(); }

 private:
  struct Matrix {
    Matrix() = default;
    Matrix(const graph::TensorType& dense, std::int64_t row) : bytes(graph::bytes(dense)) {
      const std::size_t element = graph::size_of(dense.dtype);
      row_bytes = static_cast<std::size_t>(dense.shape.back()) * element;
      stride = static_cast<std::size_t>(row) * element;
    }
    void* gather(const void* from) {
      for (std::size_t at = 0, to = 0; to < bytes.size(); at += stride, to += row_bytes)
        std::memcpy(bytes.data() + to, static_cast<const std::byte*>(from) + at, row_bytes);
      return bytes.data();
    }
    void scatter(void* to) const {
      for (std::size_t at = 0, from = 0; from < bytes.size(); at += stride, from += row_bytes)
        std::memcpy(static_cast<std::byte*>(to) + at, bytes.data() + from, row_bytes);
    }
    std::vector<std::byte> bytes;
    std::size_t row_bytes = 0, stride = 0;
  };

  std::unique_ptr<Kernel> kernel_;
  std::vector<Matrix> inputs_;
  Matrix output_;
};

/// Binds with the reference device's matrix products, where a GPU uses those of a library.
template <auto bind>
std::unique_ptr<Kernel> bind_with_products(const Binding& binding, const HostLauncher& launcher) {
  static const KernelTable plain = reference::all_kernels();
  return bind(binding, launcher, [](const Binding& product) -> std::unique_ptr<Kernel> {
    const Binding dense = without_padding(product);
    return std::make_unique<PaddedProduct>(product, dense, plain.bind(dense));
  });
}

struct OwnKernel {
  const char* op_kind;
  std::unique_ptr<Kernel> (*bind)(const Binding&, const HostLauncher&);
  Channels channels = Channels::row_major;
};

const OwnKernel own_kernels[] = {
    {"max_pool2d", own::bind_max_pool2d<HostLauncher>, Channels::last},
    {"max_pool2d_backward", own::bind_max_pool2d_backward<HostLauncher>, Channels::last},
    {"average_pool2d", own::bind_average_pool2d<HostLauncher>},
    {"average_pool2d_backward", own::bind_average_pool2d_backward<HostLauncher>},
    {"adaptive_average_pool2d", own::bind_adaptive_average_pool2d<HostLauncher>},
    {"adaptive_average_pool2d_backward", own::bind_adaptive_average_pool2d_backward<HostLauncher>},
    {"activation_backward", own::bind_activation_backward<HostLauncher>, Channels::last},
    {"bias_activation", own::bind_bias_activation<HostLauncher>, Channels::last},
    {"bias_backward", own::bind_bias_backward<HostLauncher>, Channels::last},
    {"cross_entropy", own::bind_cross_entropy<HostLauncher>},
    {"cross_entropy_backward", own::bind_cross_entropy_backward<HostLauncher>},
    {"add", own::bind_add<HostLauncher>, Channels::last},
    {"gelu", own::bind_gelu<HostLauncher>},
    {"gelu_backward", own::bind_gelu_backward<HostLauncher>},
    {"embedding", own::bind_embedding<HostLauncher>},
    {"embedding_backward_weight", own::bind_embedding_backward_weight<HostLauncher>},
    {"add_positions", own::bind_add_positions<HostLauncher>},
    {"add_positions_backward_weight", own::bind_add_positions_backward_weight<HostLauncher>},
    {"layer_norm", own::bind_layer_norm<HostLauncher>},
    {"layer_norm_backward_input", own::bind_layer_norm_backward_input<HostLauncher>},
    {"layer_norm_backward_weight", own::bind_layer_norm_backward_weight<HostLauncher>},
    {"weighted_sum", own::bind_weighted_sum<HostLauncher>},
    {"keep_where", own::bind_keep_where<HostLauncher>},
    {"split_parts", own::bind_split_parts<HostLauncher>, Channels::last},
    {"join_parts", own::bind_join_parts<HostLauncher>, Channels::last},
    {"slice", own::bind_slice<HostLauncher>, Channels::last},
    {"sgd_update", own::bind_sgd_update<HostLauncher>},
    {"adam_update", own::bind_adam_update<HostLauncher>},
    {"lars_update", own::bind_lars_update<HostLauncher>},
    {"lamb_measure", own::bind_lamb_measure<HostLauncher>},
    {"lamb_update", own::bind_lamb_update<HostLauncher>},
    {"tensor_norms", own::bind_tensor_norms<HostLauncher>},
    {"squared_norm", own::bind_squared_norm<HostLauncher>},
    {"reorder", own::bind_reorder<HostLauncher>, Channels::in_blocks},
    {"loss_scale_update", own::bind_loss_scale_update<HostLauncher>},
    {"mean_squared_error", own::bind_mean_squared_error<HostLauncher>},
    {"mean_squared_error_backward", own::bind_mean_squared_error_backward<HostLauncher>},
    {"linear_cross_entropy", bind_with_products<own::bind_linear_cross_entropy<HostLauncher>>},
    {"linear_cross_entropy_and_gradients", bind_with_products<own::bind_linear_cross_entropy<HostLauncher>>},
    {"batch_moments", own::bind_batch_moments<HostLauncher>, Channels::last},
    {"batch_norm", own::bind_batch_norm<HostLauncher>, Channels::last},
    {"batch_norm_backward_moments", own::bind_batch_norm_backward_moments<HostLauncher>, Channels::last},
    {"batch_norm_backward_input", own::bind_batch_norm_backward_input<HostLauncher>, Channels::last},
    {"batch_norm_backward_weight", own::bind_batch_norm_backward_weight<HostLauncher>},
    {"batch_norm_inference", own::bind_batch_norm_inference<HostLauncher>, Channels::last},
    {"combine_moments", own::bind_combine_moments<HostLauncher>},
    {"observe_moments", own::bind_observe_moments<HostLauncher>},
    {"statistic_update", own::bind_statistic_update<HostLauncher>},
    {"dropout", own::bind_dropout<HostLauncher>},
    {"cast", own::bind_cast<HostLauncher>, Channels::last},
    {"normalise", own::bind_normalise<HostLauncher>},
    {"encode", own::bind_encode<HostLauncher>},
    {"decode", own::bind_decode<HostLauncher>},
    {"low_rank_project", own::bind_low_rank_project<HostLauncher>},
    {"low_rank_orthogonalise", own::bind_low_rank_orthogonalise<HostLauncher>},
    {"low_rank_project_back", own::bind_low_rank_project_back<HostLauncher>},
    {"low_rank_reconstruct", own::bind_low_rank_reconstruct<HostLauncher>},
    {"mark_ready", own::bind_mark_ready<HostLauncher>},
    {"confirm_ready", own::bind_confirm_ready<HostLauncher>},
};

}  // namespace

OwnDevice::OwnDevice(int multiprocessors) {
  const HostLauncher launcher(multiprocessors, launches);
  for (const OwnKernel& kernel : own_kernels) {
    table_.add(kernel.op_kind, Storage::any_float, kernel.channels,
               [launcher, bind = kernel.bind](const Binding& binding) { return bind(binding, launcher); });
  }
}

bool OwnDevice::has(std::string_view op_kind) {
  return std::any_of(std::begin(own_kernels), std::end(own_kernels),
                     [op_kind](const OwnKernel& kernel) { return kernel.op_kind == op_kind; });
}

}  // namespace ddlbench::test
