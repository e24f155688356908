#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ddlbench::kernels::cuda {

/// The properties of a GPU that cuDNN's heuristics use. They come from data sheets and from the CUDA programming
/// guide's table of compute capabilities, not from such a GPU, so plans are only as accurate as these sources.
struct KnownGpu {
  int compute_capability = 0;  ///< 90 for sm_90
  std::string name;
  int multiprocessors = 0;
  int shared_bytes_per_block = 0;  ///< the maximum that a kernel can request
  int blocks_per_multiprocessor = 32;
  int threads_per_multiprocessor = 2048;
  int clock_khz = 0, memory_clock_khz = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;

  /// Returns the properties in the format of CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION.
  std::string json() const;
};

/// Returns one GPU for each known compute capability.
const std::vector<KnownGpu>& known_gpus();

/// Throws InputError, which lists the known compute capabilities.
const KnownGpu& known_gpu(int compute_capability);

}  // namespace ddlbench::kernels::cuda
