#pragma once

namespace ddlbench::bench {

inline constexpr double most_ranks = 4096;

}  // namespace ddlbench::bench
