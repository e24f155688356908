#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>

namespace ddlbench::comm::nccl {

/// The functions of NCCL (2.18 or newer) and of the CUDA runtime that this folder uses. Their own documentation
/// applies, also to the fakes that tests use instead.
struct Api {
  ncclResult_t (*get_version)(int*) = nullptr;
  ncclResult_t (*get_unique_id)(ncclUniqueId*) = nullptr;
  ncclResult_t (*init_rank)(ncclComm_t*, int ranks, ncclUniqueId, int rank, ncclConfig_t*) = nullptr;
  ncclResult_t (*async_error)(ncclComm_t, ncclResult_t*) = nullptr;
  ncclResult_t (*finalize)(ncclComm_t) = nullptr;
  ncclResult_t (*destroy)(ncclComm_t) = nullptr;
  ncclResult_t (*abort)(ncclComm_t) = nullptr;
  const char* (*error_string)(ncclResult_t) = nullptr;
  const char* (*last_error)(ncclComm_t) = nullptr;

  ncclResult_t (*group_start)() = nullptr;
  ncclResult_t (*group_end)() = nullptr;
  ncclResult_t (*all_reduce)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                             cudaStream_t) = nullptr;
  ncclResult_t (*reduce)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, int root, ncclComm_t,
                         cudaStream_t) = nullptr;
  ncclResult_t (*reduce_scatter)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                                 cudaStream_t) = nullptr;
  ncclResult_t (*all_gather)(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) = nullptr;
  ncclResult_t (*broadcast)(const void*, void*, size_t, ncclDataType_t, int root, ncclComm_t, cudaStream_t) = nullptr;
  ncclResult_t (*send)(const void*, size_t, ncclDataType_t, int peer, ncclComm_t, cudaStream_t) = nullptr;
  ncclResult_t (*receive)(void*, size_t, ncclDataType_t, int peer, ncclComm_t, cudaStream_t) = nullptr;

  cudaError_t (*device_count)(int*) = nullptr;
  cudaError_t (*stream_query)(cudaStream_t) = nullptr;
  cudaError_t (*allocate)(void**, size_t) = nullptr;
  cudaError_t (*release)(void*) = nullptr;
  cudaError_t (*fill)(void*, int, size_t, cudaStream_t) = nullptr;
  const char* (*cuda_error_string)(cudaError_t) = nullptr;
};

/// Returns the functions of the linked libraries.
const Api& system_api();

}  // namespace ddlbench::comm::nccl
