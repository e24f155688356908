#include "runtime/sequence.h"

#include "runtime/host_sequence.h"
#include "runtime/stream_sequence.h"

namespace ddlbench::runtime {

std::unique_ptr<Sequence> make_sequence(const std::vector<program::Instruction>& instructions,
                                        const Preparation& preparation) {
  if (preparation.device.asynchronous()) return std::make_unique<StreamSequence>(instructions, preparation);
  return std::make_unique<HostSequence>(instructions, preparation);
}

std::string why_not_recorded(const kernels::Device& device, const Channels& channels, bool communicates) {
  if (!device.asynchronous()) return "the device runs each op when it is called";
  if (!device.can_record()) return "the device cannot record";
  if (communicates && channels.route != program::Route::stream) {
    return "the host drives the messages of transport " + channels.device.transport();
  }
  return "";
}

}  // namespace ddlbench::runtime
