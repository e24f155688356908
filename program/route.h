#pragma once

#include <cstdint>

namespace ddlbench::program {

/// How an executor's communications reach the tensors of a plan.
enum class Route : std::uint8_t {
  host,    ///< begun by the host; the transport reads and writes the device's memory itself
  staged,  ///< through pinned memory: copied out on the device's copy stream, completed by the host
  stream,  ///< in the device's communication stream
};

}  // namespace ddlbench::program
