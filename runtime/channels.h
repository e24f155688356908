#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "comm/staged/host_copy.h"
#include "kernels/device.h"
#include "program/route.h"

namespace ddlbench::runtime {

/// The ranks of a plan as two communicators: `host` for values in host memory (metrics, agreement between ranks,
/// barriers, certificates), `device` for the communication of the plan's programs. Both have the same ranks, and must
/// outlive all users.
struct Channels {
  /// Uses one communicator for both: the host can access the device's memory, or the operations run on a stream.
  Channels(comm::Communicator& both)  // NOLINT(google-explicit-constructor)
      : host(both), device(both), route(both.on_stream() ? program::Route::stream : program::Route::host) {}
  Channels(comm::Communicator& for_host, comm::Communicator& for_device, program::Route how)
      : host(for_host), device(for_device), route(how) {}

  comm::Communicator& host;
  comm::Communicator& device;
  program::Route route;
};

/// Returns the route for `device` and a transport: `nccl` uses the stream; other transports are staged if the device is
/// asynchronous. Throws InputError if the device has no stream for NCCL.
program::Route route_of(const kernels::Device& device, const std::string& transport);

/// The channels of a rank, with ownership of the device's channel.
class OwnedChannels {
 public:
  /// `device` and `host` must outlive the object. `timeout` applies to NCCL's operations, and `gpu` names the device to
  /// NCCL (comm/nccl/nccl.h); staged operations use the timeout of `host`. Collective.
  OwnedChannels(kernels::Device& device, comm::Communicator& host, program::Route route,
                std::chrono::milliseconds timeout, const std::string& gpu = "");
  OwnedChannels(kernels::Device& device, comm::Communicator& host, const std::string& transport,
                std::chrono::milliseconds timeout, const std::string& gpu = "")
      : OwnedChannels(device, host, route_of(device, transport), timeout, gpu) {}

  Channels channels() const { return {host_, made_ ? *made_ : host_, route_}; }
  operator Channels() const { return channels(); }  // NOLINT(google-explicit-constructor)

 private:
  comm::Communicator& host_;
  program::Route route_;
  std::unique_ptr<comm::HostCopy> copy_;
  std::unique_ptr<comm::Communicator> made_;
};

}  // namespace ddlbench::runtime
