#pragma once

#include <optional>
#include <string>

#include "kernels/cuda/context.h"
#include "kernels/cuda/dnn/descriptor.h"

namespace ddlbench::kernels::cuda {

/// The target of plans: the current GPU, which also runs them (`handle`), or a GPU of which only `properties` are
/// known.
struct Dnn {
  cudnnHandle_t handle = nullptr;
  std::optional<dnn::Descriptor> properties;

  Dnn() = default;
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;
  ~Dnn();
};

namespace dnn {

/// Makes a handle for the current GPU. Plans run on `stream`. Throws OutOfMemory or DeviceError.
std::shared_ptr<Dnn> make_handle(cudaStream_t stream);

/// Makes a target for a GPU that need not be present, from its properties in cuDNN's JSON format
/// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). Plans for it cannot run. Throws DnnError or DeviceError.
std::shared_ptr<Dnn> make_planner(const std::string& properties);

}  // namespace dnn
}  // namespace ddlbench::kernels::cuda
