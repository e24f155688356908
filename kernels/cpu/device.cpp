#include "kernels/cpu/device.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "base/error.h"
#include "kernels/binding.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/vector.h"
#include "kernels/host_device.h"
#include "kernels/reference/ops.h"
#include "platform/processor.h"

namespace ddlbench::kernels::cpu {
namespace {

KernelTable all_kernels(const Context& context) {
  KernelTable table("cpu", context.threads);
#define DDLBENCH_OP(name) add_##name(table, context);
#include "kernels/ops.def"
#undef DDLBENCH_OP
  return table;
}

bool is_empty(const graph::TensorType& type) {
  return graph::elements(type.shape) == 0;
}

bool has_long_block(const graph::TensorType& type) {
  return type.channel_block > max_channel_block;
}

/// Returns the things that the speed of candidates depends on: the processor, oneDNN's version and instruction set, and
/// the vector width of this folder's loops.
std::string choice_context() {
  return fmt::format("{}, oneDNN {} for {}, loops of {} lanes", platform::processor_identity(), onednn::version(),
                     onednn::instruction_set(), vector_lanes);
}

class CpuDevice final : public HostDevice {
 public:
  CpuDevice(const DeviceOptions& options, Choices& choices)
      : context_{options.threads, options.winograd, {dnnl::engine::kind::cpu, 0}, {}, &choices, &table_} {
    context_.stream = dnnl::stream(context_.engine);
    onednn::use_threads(options.threads);
  }

  std::string kind() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("{}, oneDNN {}, {}", platform::processor_name(), onednn::version(),
                       counted(context_.threads, "thread"));
  }
  Choices* choices() override { return context_.choices; }
  std::unique_ptr<Kernel> bind(const Binding& binding) override {
    expect(binding, !any_operand(binding, has_long_block), "a channel block is too long for the cpu");
    // oneDNN does not support sizes of 0. The reference kernels define the result: a sum over nothing is 0.
    return any_operand(binding, is_empty) ? plain_.bind(binding) : table_.bind(binding);
  }

 private:
  Context context_;
  KernelTable table_ = all_kernels(context_);
  KernelTable plain_ = reference::all_kernels();
};

}  // namespace

std::int64_t channel_block(graph::DType, bool) {
  return onednn::channel_block();
}

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  static Choices choices(choice_context());  // one for all devices of the process, see Choices
  if (options.threads < 1) {
    throw InputError(fmt::format("a cpu device cannot have {} threads: it needs at least 1", options.threads));
  }
  return std::make_unique<CpuDevice>(options, choices);
}

}  // namespace ddlbench::kernels::cpu
