#include "kernels/kernel_table.h"

#include "kernels/binding.h"

namespace ddlbench::kernels {

void KernelTable::add(const std::string& op_kind, KernelFactory factory) {
  const bool is_new = factories_.emplace(op_kind, std::move(factory)).second;
  require(is_new, "a kernel is listed twice");
}

std::unique_ptr<Kernel> KernelTable::bind(const Binding& binding) const {
  require(binding.op != nullptr, "a binding has no op");
  const auto found = factories_.find(binding.op->kind());
  if (found == factories_.end()) refuse(binding, "device '" + device_kind_ + "' has no kernel for this op");
  return found->second(binding);
}

}  // namespace ddlbench::kernels
