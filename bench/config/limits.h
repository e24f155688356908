#pragma once

namespace ddlbench::bench {

inline constexpr double max_ranks = 4096;

}  // namespace ddlbench::bench
