#include "gpu.h"

#include <stdexcept>
#include <string>

namespace ddlbench::comm::testing {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

int gpus() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count == 0) throw std::runtime_error("there is no GPU");
  return count;
}

void* CudaMemory::allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}
void CudaMemory::release(void* memory) noexcept {
  cudaFree(memory);
}
void CudaMemory::copy_in(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");  // the copy may still be in progress
}
void CudaMemory::copy_out(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

void* CudaCopy::allocate_host(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return memory;
}
void CudaCopy::release_host(void* memory) noexcept {
  cudaFreeHost(memory);
}
HostCopy::Event CudaCopy::make_event() {
  cudaEvent_t made = nullptr;
  check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  events_.push_back(made);
  return static_cast<Event>(events_.size() - 1);
}
void CudaCopy::begin_out(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, out_), "cudaMemcpyAsync");
}
void CudaCopy::begin_in(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, in_), "cudaMemcpyAsync");
}
void CudaCopy::record_out(Event ticket) {
  check(cudaEventRecord(event(ticket), out_), "cudaEventRecord");
}
void CudaCopy::record_in(Event ticket) {
  check(cudaEventRecord(event(ticket), in_), "cudaEventRecord");
}
bool CudaCopy::complete(Event ticket) {
  const cudaError_t state = cudaEventQuery(event(ticket));
  if (state == cudaErrorNotReady) return false;
  check(state, "cudaEventQuery");
  return true;
}
void CudaCopy::synchronize(Event ticket) noexcept {
  cudaEventSynchronize(event(ticket));
}
void CudaCopy::release_event(Event ticket) noexcept {
  cudaEventDestroy(event(ticket));
}

}  // namespace ddlbench::comm::testing
