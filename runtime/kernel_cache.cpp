#include "runtime/kernel_cache.h"

#include "program/cost_table.h"

namespace ddlbench::runtime {

namespace {

kernels::Binding binding_of(const program::Compute& compute) {
  kernels::Binding binding{compute.op, {}, {}, compute.accumulate, compute.written};
  for (const program::Operand& operand : compute.inputs) binding.inputs.push_back(operand.type);
  for (const program::Operand& operand : compute.outputs) binding.outputs.push_back(operand.type);
  return binding;
}

}  // namespace

kernels::Kernel& KernelCache::of(const program::Compute& compute) {
  std::unique_ptr<kernels::Kernel>& kernel = kernels_[program::cost_key(compute)];
  if (!kernel) kernel = device_.bind(binding_of(compute));
  return *kernel;
}

}  // namespace ddlbench::runtime
