#include "runtime/kernel_cache.h"

#include <fmt/core.h>

#include "program/cost_table.h"
#include "program/memory/arena.h"

namespace ddlbench::runtime {

namespace {

static_assert(program::alignment_bytes % kernels::full_alignment == 0, "a buffer's start must be fully aligned");

std::vector<std::int64_t> alignments_of(const std::vector<program::Operand>& operands) {
  std::vector<std::int64_t> alignments;
  for (const program::Operand& operand : operands) alignments.push_back(alignment_of(operand.view));
  return alignments;
}

kernels::Binding binding_of(const program::Compute& compute, const kernels::Device& device) {
  kernels::Binding binding{compute, types_of(compute.inputs), types_of(compute.outputs)};
  if (!device.binds_by_alignment()) return binding;
  binding.input_alignments = alignments_of(compute.inputs);
  binding.output_alignments = alignments_of(compute.outputs);
  return binding;
}

}  // namespace

std::int64_t alignment_of(const program::View& view) {
  return kernels::alignment_of(view.offset, view.stride);
}

std::string kernel_key(const program::Compute& compute, const kernels::Device& device) {
  std::string key = program::cost_key(compute);
  if (!device.binds_by_alignment()) return key;
  for (const auto* operands : {&compute.inputs, &compute.outputs})
    for (const program::Operand& operand : *operands) key += fmt::format("|{}", alignment_of(operand.view));
  return key;
}

kernels::Kernel& KernelCache::of(const program::Compute& compute) {
  std::unique_ptr<kernels::Kernel>& kernel = kernels_[kernel_key(compute, device_)];
  if (!kernel) kernel = device_.bind(binding_of(compute, device_));
  return *kernel;
}

}  // namespace ddlbench::runtime
