#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "comm/staged/host_copy.h"
#include "kernels/device.h"
#include "program/route.h"

namespace ddlbench::runtime {

/// The ranks of a plan as two communicators: `host` for values in host memory (metrics, what ranks agree on, barriers,
/// certificates), `device` for what the plan's programs send. Both have the same ranks, and outlive what takes them.
struct Channels {
  /// One for both: the host reaches the device's memory, or the operations are the stream's.
  Channels(comm::Communicator& both)  // NOLINT(google-explicit-constructor)
      : host(both), device(both), route(both.on_stream() ? program::Route::stream : program::Route::host) {}
  Channels(comm::Communicator& for_host, comm::Communicator& for_device, program::Route how)
      : host(for_host), device(for_device), route(how) {}

  comm::Communicator& host;
  comm::Communicator& device;
  program::Route route;
};

/// What a device of this kind wants of a transport: `nccl` goes by the stream, others are staged where the device is
/// asynchronous. Throws InputError where the device has no stream for NCCL.
program::Route route_of(const kernels::Device& device, const std::string& transport);

/// A rank's channels, the device's made for it.
class OwnedChannels {
 public:
  /// `device` and `host` outlive it. `timeout` is of NCCL's operations, and `gpu` names the device to it
  /// (comm/nccl/nccl.h); staged ones have the host's. Collective.
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
