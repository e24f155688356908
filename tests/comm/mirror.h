#pragma once

#include <memory>

#include "comm/communicator.h"
#include "device_memory.h"

namespace ddlbench::comm::testing {

/// Creates a communicator for host buffers over one for buffers in `memory`, so that tests written for host memory can
/// test a communicator for device memory. Each operation has device memory for its ranges. It is filled at the start
/// and copied back on completion. Checks that data which an operation only reads is unchanged afterwards.
std::unique_ptr<Communicator> make_mirror(Communicator& device, DeviceMemory& memory);

}  // namespace ddlbench::comm::testing
