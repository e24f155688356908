#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kernels/binding.h"

namespace ddlbench::kernels {

/// Makes a kernel for a binding of the kind of op that it was added for; throws InputError where the
/// types are not such that it can run.
using KernelFactory = std::function<std::unique_ptr<Kernel>(const Binding&)>;

/// How channels may lie (graph::TensorType).
enum class Channels : std::uint8_t {
  row_major,
  last,  ///< or row-major
  in_blocks,
};

/// What a device can run: one factory per kind of op.
class KernelTable {
 public:
  /// With `host_threads`, operands that a factory does not take are rewritten for it on so many threads of the host: of
  /// 16 bits in f32 (kernels/rewrite/widen.h), in channel blocks in rows (kernels/rewrite/channel_blocks.h). With 0,
  /// every factory sees them as they are.
  explicit KernelTable(std::string device_kind, int host_threads = 0)
      : device_kind_(std::move(device_kind)), host_threads_(host_threads) {}

  /// Throws ContractError if `op_kind` is there already. `takes`: the floating-point types that need not be widened for
  /// the factory, f32 alone if nothing is said.
  void add(const std::string& op_kind, Storage takes, Channels channels, KernelFactory factory);
  void add(const std::string& op_kind, Storage takes, KernelFactory factory) {
    add(op_kind, takes, Channels::row_major, std::move(factory));
  }
  void add(const std::string& op_kind, Channels channels, KernelFactory factory) {
    add(op_kind, Storage::f32, channels, std::move(factory));
  }
  void add(const std::string& op_kind, KernelFactory factory) {
    add(op_kind, Storage::f32, Channels::row_major, std::move(factory));
  }

  /// Throws InputError naming op, types and device where there is no such kernel.
  std::unique_ptr<Kernel> bind(const Binding& binding) const;

  /// By the factory's kernel of f32, whatever it takes itself.
  std::unique_ptr<Kernel> bind_widened(const Binding& binding) const;

 private:
  struct Entry {
    KernelFactory make;
    Storage takes = Storage::f32;
    Channels channels = Channels::row_major;
  };
  const Entry& entry_of(const Binding& binding) const;

  std::string device_kind_;
  int host_threads_;
  std::map<std::string, Entry, std::less<>> entries_;
};

/// A kernel that is one function of its arguments.
template <class Launch>
class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(double flops, std::size_t workspace_bytes, Launch launch)
      : flops_(flops), workspace_bytes_(workspace_bytes), launch_(std::move(launch)) {}
  void launch(const Arguments& arguments) override { launch_(arguments); }
  double flops() const override { return flops_; }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  double flops_;
  std::size_t workspace_bytes_;
  Launch launch_;
};

/// Flops as the op itself counts them.
inline double flops_of(const Binding& binding) {
  return binding.op->flops(binding.inputs, binding.outputs);
}

template <class Launch>
std::unique_ptr<Kernel> make_kernel(const Binding& binding, std::size_t workspace_bytes, Launch launch) {
  return std::make_unique<FunctionKernel<Launch>>(flops_of(binding), workspace_bytes, std::move(launch));
}

std::unique_ptr<Kernel> make_kernel(const Binding& binding, auto launch) {
  return make_kernel(binding, 0, std::move(launch));
}

}  // namespace ddlbench::kernels
