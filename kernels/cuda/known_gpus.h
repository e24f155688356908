#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ddlbench::kernels::cuda {

/// What cuDNN's heuristics ask of a GPU. Written down by hand from data sheets and the CUDA programming guide's table
/// of compute capabilities, and not read from such a GPU: plans that are made of it are as good as that.
struct KnownGpu {
  int compute_capability = 0;  ///< 90 for sm_90
  std::string name;
  int multiprocessors = 0;
  int shared_bytes_per_block = 0;  ///< the most that a kernel can ask for
  int blocks_per_multiprocessor = 32;
  int threads_per_multiprocessor = 2048;
  int clock_khz = 0, memory_clock_khz = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;

  /// As CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION has it.
  std::string json() const;
};

/// One of each compute capability.
const std::vector<KnownGpu>& known_gpus();

/// Throws InputError naming those that are known.
const KnownGpu& known_gpu(int compute_capability);

}  // namespace ddlbench::kernels::cuda
