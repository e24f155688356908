#include "runtime/kernel_cache.h"

#include "catch.h"
#include "devices.h"
#include "graph/ops/shape.h"
#include "kernels/binding.h"
#include "plans.h"

using namespace ddlbench;
using runtime::KernelCache;

namespace {

/// A device that keeps the bindings that it was asked for.
class BindingLogDevice final : public test::WrappedDevice {
 public:
  explicit BindingLogDevice(bool by_alignment) : by_alignment_(by_alignment) {}
  bool binds_by_alignment() const override { return by_alignment_; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override {
    bound.push_back(binding);
    return WrappedDevice::bind(binding);
  }
  std::vector<kernels::Binding> bound;

 private:
  bool by_alignment_;
};

/// Returns the addition of two buffers of 8 numbers into a third. The first operand begins at `offset` bytes.
program::Compute addition(std::int64_t offset, std::int64_t stride = 0) {
  program::Compute compute{{std::make_shared<graph::Add>()},
                           {test::operand(0, {8}, offset), test::operand(1, {8})},
                           {test::operand(2, {8})}};
  compute.inputs[0].view.stride = stride;
  return compute;
}

}  // namespace

TEST_CASE("one kernel is bound for each alignment of operands") {
  BindingLogDevice device(true);
  KernelCache kernels(device);
  kernels::Kernel& aligned = kernels.of(addition(32));
  CHECK(&kernels.of(addition(48)) == &aligned);
  kernels::Kernel& at_4 = kernels.of(addition(36));
  CHECK(&at_4 != &aligned);
  CHECK(&kernels.of(addition(20)) == &at_4);
  REQUIRE(device.bound.size() == 2);
  CHECK(kernels::fully_aligned(device.bound[0]));
  CHECK(kernels::describe_alignment(device.bound[1]) == " aligned (4, 16) -> (16)");
  CHECK(device.bound[1].input_alignment(0) == 4);
}

TEST_CASE("the alignment of a view with a stride is the smallest over all ranks") {
  CHECK(runtime::alignment_of(addition(64, 24).inputs[0].view) == 8);
  CHECK(runtime::alignment_of(addition(4, 32).inputs[0].view) == 4);
  CHECK(runtime::alignment_of(addition(64, 4096).inputs[0].view) == kernels::full_alignment);
}

TEST_CASE("a device that does not bind by alignment has one kernel for all alignments") {
  BindingLogDevice device(false);
  KernelCache kernels(device);
  CHECK(&kernels.of(addition(32)) == &kernels.of(addition(36)));
  REQUIRE(device.bound.size() == 1);
  CHECK(device.bound[0].input_alignments.empty());
}
