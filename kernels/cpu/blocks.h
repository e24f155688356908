#pragma once

#include <cstdint>
#include <type_traits>

namespace ddlbench::kernels::cpu {

/// Calls body(block) with a block of channels as a constant where it is as long as a vector register: the loop over it
/// is then an instruction.
void with_block(std::int64_t block, const auto& body) {
  if (block == 16) return body(std::integral_constant<std::int64_t, 16>{});
  if (block == 8) return body(std::integral_constant<std::int64_t, 8>{});
  body(block);
}

}  // namespace ddlbench::kernels::cpu
