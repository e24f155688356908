#pragma once

#include <cstdint>
#include <type_traits>

namespace ddlbench::kernels::cpu {

/// Calls body(block) with the channel block, as a compile-time constant if it is 8 or 16 and so fills a vector
/// register: a loop over the block is then one instruction.
void with_block(std::int64_t block, const auto& body) {
  if (block == 16) return body(std::integral_constant<std::int64_t, 16>{});
  if (block == 8) return body(std::integral_constant<std::int64_t, 8>{});
  body(block);
}

}  // namespace ddlbench::kernels::cpu
