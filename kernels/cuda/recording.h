#pragma once

#include <memory>

#include "kernels/cuda/streams.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Captures what is enqueued on the three recorded streams between begin() and end() as one CUDA graph. Only the
/// calling thread captures: ranks in other threads can allocate and launch meanwhile, but this thread must not make
/// calls that cannot be captured (CUDA rejects them with specific errors). All of the work must have run once before,
/// since a kernel's first launch may load its code, which cannot be captured.
class Capture {
 public:
  Capture(int ordinal, const Streams& streams) : ordinal_(ordinal), streams_(streams) {}
  ~Capture() { abandon(); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  bool active() const { return active_; }
  /// Throws ContractError if a capture is active.
  void begin();
  /// Throws DeviceError if the captured work is not a graph (cudaErrorStreamCaptureInvalidated after a call that cannot
  /// be captured). No capture is active afterwards, even if it throws.
  std::unique_ptr<Device::Recording> end();
  void abandon() noexcept;

 private:
  int ordinal_;
  const Streams& streams_;
  bool active_ = false;
};

}  // namespace ddlbench::kernels::cuda
