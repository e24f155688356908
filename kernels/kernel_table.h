#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kernels/binding.h"

namespace ddlbench::kernels {

/// Makes a kernel for a binding of the op kind for which it was added. Throws InputError if the kernel does not support
/// the types.
using KernelFactory = std::function<std::unique_ptr<Kernel>(const Binding&)>;

/// The channel layouts that a kernel supports (graph::TensorType).
enum class Channels : std::uint8_t {
  row_major,
  last,  ///< or row-major
  in_blocks,
};

/// The kernels of a device: one factory per op kind.
class KernelTable {
 public:
  /// If `host_threads` > 0, converts operands that a factory does not support, on this number of host threads: 16-bit
  /// types to f32 (kernels/rewrite/widen.h), and channel blocks to row-major (kernels/rewrite/channel_blocks.h). If it
  /// is 0, every factory receives operands unchanged.
  explicit KernelTable(std::string device_kind, int host_threads = 0)
      : device_kind_(std::move(device_kind)), host_threads_(host_threads) {}

  /// Adds a factory. `takes` is the set of floating-point types that the factory supports without widening, by default
  /// only f32. Throws ContractError if there is already a factory for `op_kind`.
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

  /// Makes a kernel for the binding. Throws InputError, which names op, types and device, if there is none.
  std::unique_ptr<Kernel> bind(const Binding& binding) const;

  /// Makes a kernel that computes in f32 on widened operands, even if the factory supports their own types.
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

/// A kernel that runs one function of its arguments.
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

/// Returns the floating-point operations as the op counts them.
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
