#pragma once

#include <memory>
#include <optional>

#include "runtime/channels.h"
#include "runtime/queue_device.h"
#include "runtime/stream_communicator.h"

namespace ddlbench::test {

/// The channels that a device needs over a host communicator. For a QueueDevice they depend on its options.
class TestChannels {
 public:
  TestChannels(kernels::Device& device, comm::Communicator& host) : host_(host) {
    auto* queue = dynamic_cast<QueueDevice*>(&device);
    if (queue != nullptr && queue->options().on_stream) {
      on_stream_ = make_on_stream(host, *queue);
    } else {
      owned_.emplace(device, host, runtime::route_of(device, host.transport()), std::chrono::seconds(10));
    }
  }
  operator runtime::Channels() const {  // NOLINT(google-explicit-constructor)
    if (on_stream_) return {host_, *on_stream_, program::Route::stream};
    return owned_->channels();
  }

 private:
  comm::Communicator& host_;
  std::unique_ptr<comm::Communicator> on_stream_;
  std::optional<runtime::OwnedChannels> owned_;
};

}  // namespace ddlbench::test
