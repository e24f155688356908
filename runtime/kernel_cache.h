#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/device.h"
#include "program/program.h"

namespace ddlbench::runtime {

/// Returns the alignment that a view has on every rank that runs the program, wherever the rank's shard begins.
std::int64_t alignment_of(const program::View& view);

/// Returns the key that distinguishes kernels: the work (program::cost_key), and the alignment of operands if the
/// device binds by alignment.
std::string kernel_key(const program::Compute& compute, const kernels::Device& device);

/// Binds one kernel for each distinct key, and returns the same kernel on later calls.
class KernelCache {
 public:
  explicit KernelCache(kernels::Device& device) : device_(device) {}
  kernels::Kernel& of(const program::Compute& compute);

 private:
  kernels::Device& device_;
  std::map<std::string, std::unique_ptr<kernels::Kernel>> kernels_;
};

}  // namespace ddlbench::runtime
