#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "../device_memory.h"
#include "comm/staged/host_copy.h"

namespace ddlbench::comm::testing {

/// Throws an exception that names `call`, unless `code` is cudaSuccess.
void check(cudaError_t code, const char* call);
/// Returns the number of GPUs. Throws if there is none: a GPU test that ran without a GPU would prove nothing.
int gpus();

class CudaMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;
};

class CudaStream {
 public:
  CudaStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~CudaStream() { cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Copies on two streams of its own.
class CudaCopy final : public HostCopy {
 public:
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  Event make_event() override;
  void begin_out(void* host, const void* device, std::size_t bytes) override;
  void begin_in(void* device, const void* host, std::size_t bytes) override;
  void record_out(Event ticket) override;
  void record_in(Event ticket) override;
  bool complete(Event ticket) override;
  void synchronize(Event ticket) noexcept override;
  void release_event(Event ticket) noexcept override;

  /// Returns the stream that must wait for the buffers before an operation starts.
  cudaStream_t out() const { return out_; }

 private:
  cudaEvent_t event(Event ticket) const { return events_[static_cast<std::size_t>(ticket)]; }

  CudaStream out_;
  CudaStream in_;
  std::vector<cudaEvent_t> events_;
};

}  // namespace ddlbench::comm::testing
