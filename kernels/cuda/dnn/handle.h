#pragma once

#include <optional>
#include <string>

#include "kernels/cuda/context.h"
#include "kernels/cuda/dnn/descriptor.h"

namespace ddlbench::kernels::cuda {

/// What graphs are planned for: the current GPU, which then runs them, or one that is known by its properties alone.
struct Dnn {
  cudnnHandle_t handle = nullptr;
  std::optional<dnn::Descriptor> properties;

  Dnn() = default;
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;
  ~Dnn();
};

namespace dnn {

/// Of the current GPU; what is run goes to `stream`. Throws DeviceError.
std::shared_ptr<Dnn> make_handle(cudaStream_t stream);

/// Of a GPU that need not be there: its properties as cuDNN's JSON has them
/// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). Plans that are made for it cannot be run. Throws Refusal, or
/// DeviceError.
std::shared_ptr<Dnn> make_planner(const std::string& properties);

}  // namespace dnn
}  // namespace ddlbench::kernels::cuda
