#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ddlbench::graph {

/// A queue of a device: what is put on one runs in that order, what is on different ones side by side. `input` is for
/// batches that come in while a step runs, and no instruction's: recordings have nothing on it, and neither wait for it
/// nor hold it.
enum class Stream : std::uint8_t { compute, communication, copy, input };
inline constexpr std::size_t streams = 4;
inline constexpr std::size_t recorded_streams = 3;  ///< all but `input`, which is the last

/// "compute", …
std::string_view name(Stream stream);

}  // namespace ddlbench::graph
