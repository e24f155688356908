#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "kernels/cuda/event.h"
#include "kernels/cuda/stream.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// The four streams of a device. None waits for the default stream or for another stream; the order between streams is
/// enforced by events.
class Streams {
 public:
  explicit Streams(int ordinal);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  cudaStream_t operator[](graph::Stream stream) const { return streams_[static_cast<std::size_t>(stream)].native(); }

  /// Makes all work that is enqueued on communication and copy from now on wait for all work on compute.
  void fork() const;
  /// Makes all work that is enqueued on compute from now on wait for all work on communication and copy.
  void join() const;

  /// Blocks until all streams are empty. Throws DeviceError if work on them failed.
  void finish() const;

 private:
  struct Gpu {
    explicit Gpu(int ordinal);
  };
  Gpu current_;  ///< first: streams and events belong to the current GPU
  std::array<CudaStream, graph::streams> streams_;
  std::array<CudaEvent, graph::recorded_streams> ends_{CudaEvent(CudaEvent::Times::no), CudaEvent(CudaEvent::Times::no),
                                                       CudaEvent(CudaEvent::Times::no)};
};

/// Returns whether work that is enqueued on the stream is recorded instead of run.
bool is_recording(cudaStream_t stream);

}  // namespace ddlbench::kernels::cuda
