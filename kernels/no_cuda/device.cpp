#include "kernels/cuda/device.h"

#include "base/error.h"

namespace ddlbench::kernels::cuda {

std::unique_ptr<Device> make_device(const DeviceOptions&) {
  throw InputError(count_devices().why_none);
}

DeviceCount count_devices() {
  return {0,
          "this ddlbench was built without CUDA: configure with -DDDLBENCH_CUDA=ON, where the CUDA toolkit, cuDNN and "
          "NCCL are installed"};
}

std::string missing_library() {
  return {};
}

}  // namespace ddlbench::kernels::cuda
