#pragma once

#include <cuda_runtime_api.h>

#include <utility>

namespace ddlbench::kernels::cuda {

/// A cudaEvent_t, destroyed with its owner.
class CudaEvent {
 public:
  enum class Times { no, yes };  ///< with timing, waits on the GPU are slower

  explicit CudaEvent(Times times);
  ~CudaEvent();
  CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  cudaEvent_t native() const { return event_; }
  void record(cudaStream_t stream) const;
  /// Makes all work that is enqueued on `stream` from now on wait for the event.
  void wait_for_event(cudaStream_t stream) const;
  bool complete() const;  ///< also true if it was never recorded
  void wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Returns the time from one event to the other in milliseconds. Both must be complete. Throws DeviceError.
double milliseconds_between(const CudaEvent& begin, const CudaEvent& end);

}  // namespace ddlbench::kernels::cuda
