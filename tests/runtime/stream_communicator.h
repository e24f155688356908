#pragma once

#include <memory>

#include "comm/communicator.h"
#include "runtime/queue_device.h"

namespace ddlbench::test {

/// Returns a communicator whose operations run in the communication stream of a QueueDevice, as NCCL's run on a GPU.
/// `inner` moves the bytes.
std::unique_ptr<comm::Communicator> make_on_stream(comm::Communicator& inner, QueueDevice& device);

}  // namespace ddlbench::test
