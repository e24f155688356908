#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graph/host_device.h"

namespace ddlbench::kernels::own {

/// A divisor ≥ 1 that is known before the launch. Dividing a numerator below 2³² takes a multiplication and a shift,
/// whereas a GPU's integer division takes dozens of instructions (Granlund & Montgomery 1994, figure 4.1).
class Divider {
 public:
  explicit Divider(std::int64_t divisor) : divisor_(divisor) {
    if (divisor > std::int64_t{1} << 31) {  // the formula's product would not fit
      is_wide_ = true;
      return;
    }
    const auto d = static_cast<std::uint64_t>(divisor);
    shift_ = static_cast<std::uint32_t>(std::bit_width(d - 1));
    multiplier_ = static_cast<std::uint32_t>((((std::uint64_t{1} << shift_) - d) << 32) / d + 1);
  }

  /// Requires n ≥ 0.
  DDLBENCH_HOST_DEVICE std::int64_t quotient(std::int64_t n) const {
    if (is_wide_ || n > 0xFFFFFFFF) return n / divisor_;
    const std::uint64_t high = (static_cast<std::uint64_t>(n) * multiplier_) >> 32;
    return static_cast<std::int64_t>((high + static_cast<std::uint64_t>(n)) >> shift_);
  }
  DDLBENCH_HOST_DEVICE std::int64_t remainder(std::int64_t n) const { return n - quotient(n) * divisor_; }
  DDLBENCH_HOST_DEVICE std::int64_t divisor() const { return divisor_; }

 private:
  std::int64_t divisor_;
  std::uint32_t multiplier_ = 0, shift_ = 0;
  bool is_wide_ = false;
};

/// Returns a divider by a size of a tensor. The size may be 0; then nothing is divided by it.
inline Divider divider_of(std::int64_t size) {
  return Divider(std::max<std::int64_t>(size, 1));
}

}  // namespace ddlbench::kernels::own
