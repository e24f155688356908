#include "comm/nccl/api.h"

namespace ddlbench::comm::nccl {

const Api& system_api() {
  static const Api api = [] {
    Api linked;
    linked.get_version = ncclGetVersion;
    linked.get_unique_id = ncclGetUniqueId;
    linked.init_rank = ncclCommInitRankConfig;
    linked.async_error = ncclCommGetAsyncError;
    linked.finalize = ncclCommFinalize;
    linked.destroy = ncclCommDestroy;
    linked.abort = ncclCommAbort;
    linked.error_string = ncclGetErrorString;
    linked.last_error = ncclGetLastError;
    linked.group_start = ncclGroupStart;
    linked.group_end = ncclGroupEnd;
    linked.all_reduce = ncclAllReduce;
    linked.reduce = ncclReduce;
    linked.reduce_scatter = ncclReduceScatter;
    linked.all_gather = ncclAllGather;
    linked.broadcast = ncclBroadcast;
    linked.send = ncclSend;
    linked.receive = ncclRecv;
    linked.device_count = cudaGetDeviceCount;
    linked.stream_query = [](cudaStream_t stream) {
      const cudaError_t state = cudaStreamQuery(stream);
      if (state == cudaErrorNotReady) cudaGetLastError();  // clears the error, or the next launch would report it
      return state;
    };
    linked.allocate = [](void** memory, size_t bytes) { return cudaMalloc(memory, bytes); };
    linked.release = cudaFree;
    linked.fill = cudaMemsetAsync;
    linked.cuda_error_string = cudaGetErrorString;
    return linked;
  }();
  return api;
}

}  // namespace ddlbench::comm::nccl
