#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kernels/device.h"

namespace ddlbench::kernels {

/// Makes a kernel for a binding of the kind of op that it was added for; throws InputError where the
/// types are not such that it can run.
using KernelFactory = std::function<std::unique_ptr<Kernel>(const Binding&)>;

/// What a device can run: one factory per kind of op.
class KernelTable {
 public:
  explicit KernelTable(std::string device_kind) : device_kind_(std::move(device_kind)) {}

  /// Throws ContractError if `op_kind` is there already.
  void add(const std::string& op_kind, KernelFactory factory);

  /// Throws InputError naming op, types and device where there is no such kernel.
  std::unique_ptr<Kernel> bind(const Binding& binding) const;

 private:
  std::string device_kind_;
  std::map<std::string, KernelFactory, std::less<>> factories_;
};

/// A kernel that is one function of its arguments.
template <class Launch>
class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(double flops, Launch launch, std::size_t workspace_bytes)
      : flops_(flops), launch_(std::move(launch)), workspace_bytes_(workspace_bytes) {}
  void launch(const Arguments& arguments) override { launch_(arguments); }
  double flops() const override { return flops_; }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  double flops_;
  Launch launch_;
  std::size_t workspace_bytes_;
};

template <class Launch>
std::unique_ptr<Kernel> make_kernel(double flops, Launch launch, std::size_t workspace_bytes = 0) {
  return std::make_unique<FunctionKernel<Launch>>(flops, std::move(launch), workspace_bytes);
}

/// Flops as the op itself counts them.
inline double flops_of(const Binding& binding) {
  return binding.op->flops(binding.inputs, binding.outputs);
}

}  // namespace ddlbench::kernels
