#include "kernels/cuda/dnn/handle.h"

#include "kernels/cuda/blas/library.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/nvrtc.h"

namespace ddlbench::kernels::cuda {

Dnn::~Dnn() {
  if (handle != nullptr) cudnnDestroy(handle);
}

namespace dnn {
namespace {

/// Loads cuBLASLt and NVRTC first: cuDNN loads them by name, so it gets those of this build, wherever they are
/// installed.
std::shared_ptr<Dnn> make() {
  blas::library();
  nvrtc();
  return std::make_shared<Dnn>();
}

}  // namespace

std::shared_ptr<Dnn> make_handle(cudaStream_t stream) {
  auto made = make();
  try {
    expect_success(cudnnCreate(&made->handle), "cudnnCreate");
    expect_success(cudnnSetStream(made->handle, stream), "cudnnSetStream");
  } catch (const DnnError& error) {
    throw DeviceError(error.what());
  }
  return made;
}

std::shared_ptr<Dnn> make_planner(const std::string& properties) {
  auto made = make();
  made->properties.emplace(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  made->properties->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                        static_cast<std::int64_t>(properties.size()), properties.data());
  made->properties->finalize("properties of a GPU");
  return made;
}

}  // namespace dnn
}  // namespace ddlbench::kernels::cuda
