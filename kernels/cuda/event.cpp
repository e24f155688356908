#include "kernels/cuda/event.h"

#include "kernels/cuda/check.h"

namespace ddlbench::kernels::cuda {

CudaEvent::CudaEvent(Times times) {
  const unsigned flags = times == Times::yes ? cudaEventDefault : cudaEventDisableTiming;
  check(cudaEventCreateWithFlags(&event_, flags), "creating an event");
}

CudaEvent::~CudaEvent() {
  if (event_ != nullptr) cudaEventDestroy(event_);
}

void CudaEvent::record(cudaStream_t stream) const {
  check(cudaEventRecord(event_, stream), "recording an event");
}

void CudaEvent::wait_for_event(cudaStream_t stream) const {
  check(cudaStreamWaitEvent(stream, event_, cudaEventWaitDefault), "making a stream wait");
}

bool CudaEvent::complete() const {
  const cudaError_t code = cudaEventQuery(event_);
  if (code == cudaErrorNotReady) {
    cudaGetLastError();  // an answer, not a failure
    return false;
  }
  check(code, "querying an event");
  return true;
}

void CudaEvent::wait() const {
  check(cudaEventSynchronize(event_), "waiting for an event");
}

double milliseconds_between(const CudaEvent& begin, const CudaEvent& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.native(), end.native()), "reading the time of an event");
  return milliseconds;
}

}  // namespace ddlbench::kernels::cuda
