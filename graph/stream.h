#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ddlbench::graph {

/// An in-order queue of a device, such as a CUDA stream; different streams run concurrently. `input` is for the copies
/// of batches during a step. Instructions of programs do not use it: recordings contain no work on it, do not wait for
/// it and do not make it wait.
enum class Stream : std::uint8_t { compute, communication, copy, input };
inline constexpr std::size_t streams = 4;
inline constexpr std::size_t recorded_streams = 3;  ///< all but `input`, which is the last

/// "compute", …
std::string_view name(Stream stream);

}  // namespace ddlbench::graph
