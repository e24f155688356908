#include "kernels/slowed_device.h"

#include <chrono>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "kernels/host_device.h"

using namespace ddlbench;
using namespace ddlbench::kernels;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

/// Takes 5 ms.
class SleepingKernel final : public Kernel {
 public:
  void launch(const Arguments&) override { std::this_thread::sleep_for(milliseconds(5)); }
  std::size_t workspace_bytes() const override { return 7; }
  double flops() const override { return 11; }
};

class SleepingDevice final : public HostDevice {
 public:
  explicit SleepingDevice(bool asynchronous = false) : asynchronous_(asynchronous) {}
  std::string kind() const override { return "sleeping"; }
  std::string description() const override { return "sleeps"; }
  std::unique_ptr<Kernel> bind(const Binding&) override { return std::make_unique<SleepingKernel>(); }
  bool asynchronous() const override { return asynchronous_; }

 private:
  bool asynchronous_;
};

}  // namespace

TEST_CASE("a slowed device's launches take longer by the factor; the rest is as before") {
  SleepingDevice device;
  SlowedDevice slowed(device, 4);
  CHECK(slowed.kind() == "sleeping");
  const auto kernel = slowed.bind({});
  CHECK(kernel->workspace_bytes() == 7);
  CHECK(kernel->flops() == 11);
  const auto begin = Clock::now();
  kernel->launch({});
  CHECK(Clock::now() - begin >= milliseconds(20));

  void* const memory = slowed.allocate(100);
  CHECK(device.allocated_bytes() == 100);
  const int value = 42;
  int copy = 0;
  slowed.copy_in(memory, &value, sizeof value);
  slowed.copy_out(&copy, memory, sizeof copy);
  CHECK(copy == 42);
  slowed.release(memory);
  CHECK(slowed.allocated_bytes() == 0);
}

TEST_CASE("a device whose launches return early, and a factor below 1, are rejected") {
  SleepingDevice asynchronous(true), synchronous;
  CHECK_THROWS_AS(SlowedDevice(asynchronous, 2), ContractError);
  CHECK_THROWS_AS(SlowedDevice(synchronous, 0.5), ContractError);
}
