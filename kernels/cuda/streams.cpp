#include "kernels/cuda/streams.h"

#include "kernels/cuda/check.h"
#include "kernels/cuda/current.h"

namespace ddlbench::kernels::cuda {

Streams::Gpu::Gpu(int ordinal) {
  make_current(ordinal);
}

Streams::Streams(int ordinal) : current_(ordinal) {}

void Streams::fork() const {
  ends_[0].record(streams_[0].native());
  ends_[0].wait_for_event(streams_[1].native());
  ends_[0].wait_for_event(streams_[2].native());
}

void Streams::join() const {
  for (const std::size_t other : {1, 2}) {
    ends_[other].record(streams_[other].native());
    ends_[other].wait_for_event(streams_[0].native());
  }
}

void Streams::finish() const {
  for (const auto& stream : streams_) check(cudaStreamSynchronize(stream.native()), "waiting for a stream");
}

bool is_recording(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "querying whether a stream is recording");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace ddlbench::kernels::cuda
