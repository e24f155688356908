#pragma once

#include <memory>

#include "kernels/cuda/streams.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// What the three streams noted between two calls, as one CUDA graph. Of the calling thread alone: ranks in other
/// threads go on allocating and launching meanwhile, while the thread itself may not (CUDA refuses by name what cannot
/// be noted). All of it has run once before, since a kernel's first launch may load its code, which cannot be noted.
class Capture {
 public:
  Capture(int ordinal, const Streams& streams) : ordinal_(ordinal), streams_(streams) {}
  ~Capture() { abandon(); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  bool active() const { return active_; }
  /// Throws ContractError if one is active.
  void begin();
  /// Throws DeviceError where what was noted is no graph (cudaErrorStreamCaptureInvalidated after a call that cannot
  /// be noted). No capture is active afterwards, whatever happens.
  std::unique_ptr<Device::Recording> end();
  void abandon() noexcept;

 private:
  int ordinal_;
  const Streams& streams_;
  bool active_ = false;
};

}  // namespace ddlbench::kernels::cuda
