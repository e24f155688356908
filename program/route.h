#pragma once

#include <cstdint>

namespace ddlbench::program {

/// How communications access the tensors of a plan.
enum class Route : std::uint8_t {
  host,    ///< started by the host; the transport accesses device memory directly
  staged,  ///< through pinned memory: copied out on the device's copy stream, completed by the host
  stream,  ///< enqueued in the device's communication stream
};

}  // namespace ddlbench::program
