#include "kernels/kernel_table.h"

#include "kernels/rewrite/channel_blocks.h"
#include "kernels/rewrite/widen.h"

namespace ddlbench::kernels {
namespace {

bool takes_all(Storage storage, const Binding& binding) {
  return !any_operand(binding, [storage](const graph::TensorType& type) {
    return is_narrow(type.dtype) && !takes(storage, type.dtype);
  });
}

bool takes_channels(Channels channels, const Binding& binding) {
  if (channels == Channels::in_blocks) return true;
  return channels == Channels::last ? !has_partial_channel_blocks(binding) : !has_channel_blocks(binding);
}

}  // namespace

void KernelTable::add(const std::string& op_kind, Storage takes, Channels channels, KernelFactory factory) {
  const bool is_new = entries_.emplace(op_kind, Entry{std::move(factory), takes, channels}).second;
  require(is_new, "a kernel is registered twice");
}

const KernelTable::Entry& KernelTable::entry_of(const Binding& binding) const {
  require(binding.op != nullptr, "a binding has no op");
  require(binding.written.empty() || binding.op->can_accumulate_some(),
          "an op accumulates into one output and overwrites another");
  const auto found = entries_.find(binding.op->kind());
  if (found == entries_.end()) reject(binding, "device '" + device_kind_ + "' has no kernel for this op");
  return found->second;
}

std::unique_ptr<Kernel> KernelTable::bind(const Binding& binding) const {
  const Entry& entry = entry_of(binding);
  if (!takes_channels(entry.channels, binding)) {
    expect(binding, host_threads_ > 0, "device '" + device_kind_ + "' has no kernel for channels in such blocks");
    return by_row_major(binding, bind(row_major(binding)), host_threads_);
  }
  if (host_threads_ > 0 && !takes_all(entry.takes, binding)) return bind_widened(binding);
  return entry.make(binding);
}

std::unique_ptr<Kernel> KernelTable::bind_widened(const Binding& binding) const {
  return widen(binding, entry_of(binding).make(widened(binding)), host_threads_);
}

}  // namespace ddlbench::kernels
