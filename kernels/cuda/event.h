#pragma once

#include <cuda_runtime_api.h>

#include <utility>

namespace ddlbench::kernels::cuda {

/// A cudaEvent_t and who destroys it.
class CudaEvent {
 public:
  enum class Times { no, yes };  ///< those with are slower to wait for on the GPU

  explicit CudaEvent(Times times);
  ~CudaEvent();
  CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  cudaEvent_t native() const { return event_; }
  void record(cudaStream_t stream) const;
  /// What is put on `stream` from now on begins after it.
  void wait_for_event(cudaStream_t stream) const;
  bool complete() const;  ///< true if it was never recorded
  void wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// From one to the other in milliseconds; both are complete. Throws DeviceError.
double milliseconds_between(const CudaEvent& begin, const CudaEvent& end);

}  // namespace ddlbench::kernels::cuda
