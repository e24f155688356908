#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/device.h"
#include "program/program.h"

namespace ddlbench::runtime {

/// The same on every rank that runs the program, wherever its shard begins.
std::int64_t alignment_of(const program::View& view);

/// What kernels are told apart by: the work (program::cost_key), and where the device binds by alignment, that of the
/// operands.
std::string kernel_key(const program::Compute& compute, const kernels::Device& device);

/// Binds one kernel for each distinct key, and gives it out again.
class KernelCache {
 public:
  explicit KernelCache(kernels::Device& device) : device_(device) {}
  kernels::Kernel& of(const program::Compute& compute);

 private:
  kernels::Device& device_;
  std::map<std::string, std::unique_ptr<kernels::Kernel>> kernels_;
};

}  // namespace ddlbench::runtime
