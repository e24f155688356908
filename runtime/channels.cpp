#include "runtime/channels.h"

#include "base/error.h"
#include "comm/nccl/nccl.h"
#include "comm/staged/staged.h"
#include "runtime/stream_copy.h"

namespace ddlbench::runtime {

program::Route route_of(const kernels::Device& device, const std::string& transport) {
  if (transport != "nccl") return device.asynchronous() ? program::Route::staged : program::Route::host;
  if (!device.asynchronous()) {
    throw InputError("transport nccl moves GPU memory, but the device is " + device.kind() +
                     "; set devices/transport to threads or mpi");
  }
  return program::Route::stream;
}

OwnedChannels::OwnedChannels(kernels::Device& device, comm::Communicator& host, program::Route route,
                             std::chrono::milliseconds timeout, const std::string& gpu)
    : host_(host), route_(route) {
  if (route == program::Route::stream) {
    made_ = comm::make_nccl(host, device.native(graph::Stream::communication), timeout, gpu);
  } else if (route == program::Route::staged) {
    copy_ = std::make_unique<StreamCopy>(device);
    made_ = comm::make_staged(host, *copy_);
  }
}

}  // namespace ddlbench::runtime
