#include "comm/nccl/communicator.h"

#include <fmt/core.h>

namespace ddlbench::comm {

namespace nccl {

namespace {

/// Converts NCCL's version number to "2.28.9"; versions before 2.9 have fewer digits.
std::string version_text(int number) {
  const int unit = number < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", number / unit, number % unit / 100, number % 100);
}

}  // namespace

NcclState state_of(const Api& api) {
  NcclState state;
  state.built = version_text(NCCL_VERSION_CODE);
  int loaded = 0;
  if (const ncclResult_t result = api.get_version(&loaded); result != ncclSuccess) {
    state.why_not = std::string("NCCL does not work: ") + api.error_string(result);
    return state;
  }
  state.loaded = version_text(loaded);
  int gpus = 0;
  const cudaError_t result = api.device_count(&gpus);
  state.usable = result == cudaSuccess && gpus > 0;
  if (!state.usable)
    state.why_not =
        result == cudaErrorInsufficientDriver
            ? "no GPU can be used: there is no NVIDIA driver, or one that is too old for this CUDA"
            : "no GPU can be used" + (result == cudaSuccess ? "" : std::string(": ") + api.cuda_error_string(result));
  return state;
}

}  // namespace nccl

NcclState nccl_state() {
  return nccl::state_of(nccl::system_api());
}

std::unique_ptr<Communicator> make_nccl(Communicator& control, void* stream, std::chrono::milliseconds timeout,
                                        const std::string& gpu) {
  return nccl::make(nccl::system_api(), control, static_cast<cudaStream_t>(stream), timeout, gpu);
}

}  // namespace ddlbench::comm
