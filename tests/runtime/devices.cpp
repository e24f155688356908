#include "devices.h"

#include <stdexcept>

namespace ddlbench::test {

namespace {

class FailingKernel final : public kernels::Kernel {
 public:
  void launch(const kernels::Arguments&) override { throw std::runtime_error("the device burns"); }
  double flops() const override { return 0; }
};

}  // namespace

std::unique_ptr<kernels::Kernel> FailingDevice::bind(const kernels::Binding& binding) {
  if (binding.op->kind() == kind_) return std::make_unique<FailingKernel>();
  return WrappedDevice::bind(binding);
}

}  // namespace ddlbench::test
