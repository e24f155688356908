#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "kernels/cuda/event.h"
#include "kernels/cuda/stream.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// A device's four queues. None waits for the default stream, nor for another: what must come after something else
/// on another stream is held by a mark.
class Streams {
 public:
  explicit Streams(int ordinal);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  cudaStream_t operator[](graph::Stream stream) const { return streams_[static_cast<std::size_t>(stream)].native(); }

  /// What is put on communication and copy from now on begins after all that is on compute.
  void fork() const;
  /// What is put on compute from now on begins after all that is on communication and copy.
  void join() const;

  /// Blocks until all are empty. Throws DeviceError with what failed on them.
  void finish() const;

 private:
  struct Gpu {
    explicit Gpu(int ordinal);
  };
  Gpu current_;  ///< first: streams and events belong to the GPU that is current
  std::array<CudaStream, graph::streams> streams_;
  std::array<CudaEvent, graph::recorded_streams> ends_{CudaEvent(CudaEvent::Times::no), CudaEvent(CudaEvent::Times::no),
                                                       CudaEvent(CudaEvent::Times::no)};
};

/// Whether what is put on the stream is being noted for a recording instead of run.
bool is_recording(cudaStream_t stream);

}  // namespace ddlbench::kernels::cuda
