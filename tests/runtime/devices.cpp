#include "devices.h"

#include <stdexcept>

namespace ddlbench::test {

class LazyKernel final : public kernels::Kernel {
 public:
  LazyKernel(LazyDevice& device, std::unique_ptr<Kernel> inner) : device_(device), inner_(std::move(inner)) {}
  void launch(const kernels::Arguments& arguments) override {
    device_.queue_.push_back({inner_.get(), arguments});
    ++device_.launched_;
  }
  std::size_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  double flops() const override { return inner_->flops(); }

 private:
  LazyDevice& device_;
  std::unique_ptr<Kernel> inner_;
};

std::unique_ptr<kernels::Kernel> LazyDevice::bind(const kernels::Binding& binding) {
  return std::make_unique<LazyKernel>(*this, WrappedDevice::bind(binding));
}

kernels::Event LazyDevice::make_event(kernels::Mark) {
  marks_.push_back(0);
  return static_cast<kernels::Event>(marks_.size() - 1);
}

void LazyDevice::wait(kernels::Event event) {
  for (; done_ < marks_[static_cast<std::size_t>(event)]; ++done_) {
    queue_.front().kernel->launch(queue_.front().arguments);
    queue_.pop_front();
  }
}

namespace {

class BurningKernel final : public kernels::Kernel {
 public:
  void launch(const kernels::Arguments&) override { throw std::runtime_error("the device burns"); }
  double flops() const override { return 0; }
};

}  // namespace

std::unique_ptr<kernels::Kernel> BurningDevice::bind(const kernels::Binding& binding) {
  if (binding.op->kind() == kind_) return std::make_unique<BurningKernel>();
  return WrappedDevice::bind(binding);
}

}  // namespace ddlbench::test
