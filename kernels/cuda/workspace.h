#pragma once

#include <cstddef>
#include <cstdint>

namespace ddlbench::kernels::cuda {

/// The alignment of workspace that libraries need (cublasLtMatmul: 256 bytes). The engine's workspace is aligned to 64
/// bytes.
constexpr std::size_t workspace_alignment = 256;

constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// Returns the bytes to request so that `bytes` are left after aligned_workspace.
constexpr std::size_t bytes_with_alignment(std::size_t bytes) {
  return bytes == 0 ? 0 : bytes + workspace_alignment - 1;
}

inline char* aligned_workspace(void* workspace) {
  return reinterpret_cast<char*>(aligned_bytes(reinterpret_cast<std::uintptr_t>(workspace)));
}

}  // namespace ddlbench::kernels::cuda
