#include "kernels/cuda/streams.h"

#include "kernels/cuda/check.h"
#include "kernels/cuda/current.h"

namespace ddlbench::kernels::cuda {
namespace {

void hold(cudaStream_t stream, const CudaEvent& event) {
  check(cudaStreamWaitEvent(stream, event.native(), cudaEventWaitDefault), "holding a stream");
}

}  // namespace

Streams::Gpu::Gpu(int ordinal) {
  make_current(ordinal);
}

Streams::Owner::Owner() {
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
}

Streams::Owner::~Owner() {
  cudaStreamDestroy(stream);
}

Streams::Streams(int ordinal) : current_(ordinal) {}

Streams::~Streams() = default;

void Streams::fork() const {
  ends_[0].record(streams_[0]);
  hold(streams_[1], ends_[0]);
  hold(streams_[2], ends_[0]);
}

void Streams::join() const {
  for (const std::size_t other : {1, 2}) {
    ends_[other].record(streams_[other]);
    hold(streams_[0], ends_[other]);
  }
}

void Streams::finish() const {
  for (const auto& stream : streams_) check(cudaStreamSynchronize(stream), "waiting for a stream");
}

bool is_recording(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "asking whether a stream is recorded");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace ddlbench::kernels::cuda
