#include "kernels/reference/device.h"

#include "kernels/host_device.h"
#include "kernels/reference/ops.h"
#include "platform/processor.h"

namespace ddlbench::kernels::reference {
namespace {

class ReferenceDevice final : public HostDevice {
 public:
  std::string kind() const override { return "reference"; }
  std::string description() const override { return platform::processor_name() + ", plain loops, 1 thread"; }
  std::unique_ptr<Kernel> bind(const Binding& binding) override { return table_.bind(binding); }

 private:
  KernelTable table_ = all_kernels();
};

}  // namespace

KernelTable all_kernels() {
  KernelTable table("reference", 1);
#define DDLBENCH_OP(name) add_##name(table);
#include "kernels/ops.def"
#undef DDLBENCH_OP
  return table;
}

std::unique_ptr<Device> make_device(const DeviceOptions&) {
  return std::make_unique<ReferenceDevice>();
}

}  // namespace ddlbench::kernels::reference
