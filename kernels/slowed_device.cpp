#include "kernels/slowed_device.h"

#include <chrono>
#include <utility>

#include "base/error.h"

namespace ddlbench::kernels {

namespace {

class SlowedKernel final : public Kernel {
 public:
  SlowedKernel(std::unique_ptr<Kernel> kernel, double slowdown) : kernel_(std::move(kernel)), slowdown_(slowdown) {}

  void launch(const Arguments& arguments) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    kernel_->launch(arguments);
    const Clock::time_point end =
        begin + std::chrono::duration_cast<Clock::duration>(slowdown_ * (Clock::now() - begin));
    while (Clock::now() < end) {
    }
  }
  std::size_t workspace_bytes() const override { return kernel_->workspace_bytes(); }
  double flops() const override { return kernel_->flops(); }

 private:
  std::unique_ptr<Kernel> kernel_;
  double slowdown_;
};

}  // namespace

SlowedDevice::SlowedDevice(Device& device, double slowdown) : device_(device), slowdown_(slowdown) {
  require(!device.asynchronous() && slowdown >= 1, "only a device that finishes each launch on return can be slowed");
}

std::unique_ptr<Kernel> SlowedDevice::bind(const Binding& binding) {
  return std::make_unique<SlowedKernel>(device_.bind(binding), slowdown_);
}

}  // namespace ddlbench::kernels
