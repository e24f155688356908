#pragma once

#include <cstdint>

namespace ddlbench::program {

/// How an executor's communications reach the tensors of a plan.
enum class Route : std::uint8_t {
  host,    ///< from where the host begins them: they read and write the device's memory themselves
  staged,  ///< through pinned memory: begun on the device's copy stream, completed by the host
  stream,  ///< in the device's communication stream
};

}  // namespace ddlbench::program
