#include "own_device.h"

#include "kernels/own/add_positions.h"
#include "kernels/own/column_sums.h"
#include "kernels/own/cross_entropy.h"
#include "kernels/own/elementwise.h"
#include "kernels/own/embedding.h"
#include "kernels/own/finish.h"
#include "kernels/own/layer_norm.h"
#include "kernels/own/layer_norm_weight.h"
#include "kernels/own/optimizer.h"
#include "kernels/own/parts.h"
#include "kernels/own/pool.h"

namespace ddlbench::test {
namespace {

using namespace kernels;

struct OwnKernel {
  const char* op_kind;
  std::unique_ptr<Kernel> (*bind)(const Binding&, const HostLauncher&);
};

const OwnKernel own_kernels[] = {
    {"max_pool2d", own::bind_max_pool2d<HostLauncher>},
    {"max_pool2d_backward", own::bind_max_pool2d_backward<HostLauncher>},
    {"activation_backward", own::bind_activation_backward<HostLauncher>},
    {"bias_activation", own::bind_bias_activation<HostLauncher>},
    {"bias_backward", own::bind_bias_backward<HostLauncher>},
    {"cross_entropy", own::bind_cross_entropy<HostLauncher>},
    {"cross_entropy_backward", own::bind_cross_entropy_backward<HostLauncher>},
    {"add", own::bind_add<HostLauncher>},
    {"gelu", own::bind_gelu<HostLauncher>},
    {"gelu_backward", own::bind_gelu_backward<HostLauncher>},
    {"embedding", own::bind_embedding<HostLauncher>},
    {"embedding_backward_weight", own::bind_embedding_backward_weight<HostLauncher>},
    {"add_positions", own::bind_add_positions<HostLauncher>},
    {"add_positions_backward_weight", own::bind_add_positions_backward_weight<HostLauncher>},
    {"layer_norm", own::bind_layer_norm<HostLauncher>},
    {"layer_norm_backward_input", own::bind_layer_norm_backward_input<HostLauncher>},
    {"layer_norm_backward_weight", own::bind_layer_norm_backward_weight<HostLauncher>},
    {"split_parts", own::bind_split_parts<HostLauncher>},
    {"join_parts", own::bind_join_parts<HostLauncher>},
    {"slice", own::bind_slice<HostLauncher>},
    {"sgd_update", own::bind_sgd_update<HostLauncher>},
    {"adam_update", own::bind_adam_update<HostLauncher>},
};

}  // namespace

OwnDevice::OwnDevice(int multiprocessors) {
  const HostLauncher launcher(multiprocessors, launches);
  for (const OwnKernel& kernel : own_kernels) {
    table_.add(kernel.op_kind,
               [launcher, bind = kernel.bind](const Binding& binding) { return bind(binding, launcher); });
  }
}

bool OwnDevice::has(std::string_view op_kind) {
  return std::any_of(std::begin(own_kernels), std::end(own_kernels),
                     [op_kind](const OwnKernel& kernel) { return kernel.op_kind == op_kind; });
}

}  // namespace ddlbench::test
