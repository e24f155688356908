#pragma once

#include <cstddef>

namespace ddlbench::simulator {

/// A rank, host, core or instruction number as an index of a vector.
inline std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace ddlbench::simulator
