#include "kernels/cuda/trial.h"

#include <new>
#include <utility>

#include "catch.h"
#include "kernels/cuda/check.h"

using namespace ddlbench::kernels;
using cuda::DeviceError;

namespace {

/// A GPU whose launches look at the last error, as ours do, and leave one where they are refused.
struct FakeGpu {
  cudaError_t last = cudaSuccess;
  cudaError_t failure = cudaSuccess;  ///< of the GPU itself: every call reports it from now on

  cuda::ErrorState errors() {
    return {[this] { return std::exchange(last, cudaSuccess); }, [this] { return failure; }};
  }
  void launch(cudaError_t refusal = cudaSuccess) {
    if (refusal != cudaSuccess) last = refusal;
    if (last != cudaSuccess) throw DeviceError("a launch was refused");
    if (failure != cudaSuccess) throw DeviceError("the GPU failed");
  }
};

}  // namespace

TEST_CASE("a candidate whose launch is refused drops out, and no later launch is blamed") {
  FakeGpu gpu;
  CHECK_FALSE(cuda::runs([&] { gpu.launch(cudaErrorInvalidValue); }, gpu.errors()));
  CHECK(gpu.last == cudaSuccess);
  CHECK(cuda::runs([&] { gpu.launch(); }, gpu.errors()));
}

TEST_CASE("a candidate is not blamed for the error that another left when it was made") {
  FakeGpu gpu;
  gpu.last = cudaErrorLaunchOutOfResources;
  CHECK(cuda::runs([&] { gpu.launch(); }, gpu.errors()));
}

TEST_CASE("a GPU that failed at a candidate is no refusal") {
  FakeGpu gpu;
  gpu.failure = cudaErrorIllegalAddress;
  CHECK_THROWS_AS(cuda::runs([&] { gpu.launch(); }, gpu.errors()), DeviceError);
}

TEST_CASE("what is no refusal ends the trial") {
  FakeGpu gpu;
  CHECK_THROWS_AS(cuda::runs([] { throw std::bad_alloc(); }, gpu.errors()), std::bad_alloc);
}
