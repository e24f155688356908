#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/device.h"
#include "program/program.h"

namespace ddlbench::runtime {

/// Binds one kernel for each distinct work (program::cost_key) and gives it out again.
class KernelCache {
 public:
  explicit KernelCache(kernels::Device& device) : device_(device) {}
  kernels::Kernel& of(const program::Compute& compute);

 private:
  kernels::Device& device_;
  std::map<std::string, std::unique_ptr<kernels::Kernel>> kernels_;
};

}  // namespace ddlbench::runtime
