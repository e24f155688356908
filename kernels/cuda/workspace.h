#pragma once

#include <cstddef>
#include <cstdint>

namespace ddlbench::kernels::cuda {

/// Where libraries want their workspace to begin (cublasLtMatmul: multiples of 256 bytes); the engine's begin at
/// multiples of 64.
constexpr std::size_t workspace_alignment = 256;

constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// What to ask for so that `bytes` are there behind aligned_workspace.
constexpr std::size_t bytes_with_alignment(std::size_t bytes) {
  return bytes == 0 ? 0 : bytes + workspace_alignment - 1;
}

inline char* aligned_workspace(void* workspace) {
  return reinterpret_cast<char*>(aligned_bytes(reinterpret_cast<std::uintptr_t>(workspace)));
}

}  // namespace ddlbench::kernels::cuda
