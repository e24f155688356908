#include "runtime/channels.h"

#include "base/error.h"
#include "comm/nccl/nccl.h"
#include "comm/staged/staged.h"
#include "runtime/stream_copy.h"

namespace ddlbench::runtime {

Route route_of(const kernels::Device& device, const std::string& transport) {
  if (transport != "nccl") return device.asynchronous() ? Route::staged : Route::host;
  if (!device.asynchronous()) {
    throw InputError("transport nccl moves a GPU's memory, and the device is " + device.kind() +
                     "; set devices/transport to threads or mpi");
  }
  return Route::stream;
}

OwnedChannels::OwnedChannels(kernels::Device& device, comm::Communicator& host, Route route,
                             std::chrono::milliseconds timeout, const std::string& gpu)
    : host_(host), route_(route) {
  if (route == Route::stream) {
    made_ = comm::make_nccl(host, device.native(kernels::Stream::communication), timeout, gpu);
  } else if (route == Route::staged) {
    copy_ = std::make_unique<StreamCopy>(device);
    made_ = comm::make_staged(host, *copy_);
  }
}

}  // namespace ddlbench::runtime
