#pragma once

#include <memory>

#include "comm/communicator.h"
#include "device_memory.h"

namespace ddlbench::comm::testing {

/// A communicator of buffers in host memory over one of buffers in `memory`: each operation has device memory for the
/// ranges that it is given, filled at its start and fetched when it is complete. So what is written for host
/// memory tests a communicator of device memory. What an operation only reads must be unchanged afterwards.
std::unique_ptr<Communicator> make_mirror(Communicator& device, DeviceMemory& memory);

}  // namespace ddlbench::comm::testing
