#pragma once

#include <memory>
#include <vector>

#include "host_launcher.h"
#include "kernels/host_device.h"
#include "kernels/kernel_table.h"

namespace ddlbench::test {

/// A device with the kernels of kernels/own, run on the host as on a GPU with this number of multiprocessors.
class OwnDevice final : public kernels::HostDevice {
 public:
  explicit OwnDevice(int multiprocessors);

  std::string kind() const override { return "own"; }
  std::string description() const override { return "kernels for GPUs, run on the host"; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override { return table_.bind(binding); }

  /// Returns whether kernels/own has a kernel for this kind of op. Libraries compute the others.
  static bool has(std::string_view op_kind);

  std::vector<HostLauncher::Launch> launches;

 private:
  kernels::KernelTable table_{"own"};
};

}  // namespace ddlbench::test
