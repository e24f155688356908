#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "graph/host_device.h"

namespace ddlbench::graph {

/// The result of Philox4x32-10 (Salmon et al., SC'11), a pure function of key and counter: the same on every device.
struct Philox {
  std::uint32_t v[4];
};

DDLBENCH_HOST_DEVICE inline Philox philox(std::uint64_t key, std::uint64_t counter_high, std::uint64_t counter_low) {
  std::uint32_t c0 = static_cast<std::uint32_t>(counter_low), c1 = static_cast<std::uint32_t>(counter_low >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(counter_high), c3 = static_cast<std::uint32_t>(counter_high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// Converts the upper 24 bits to a number in [0, 1).
DDLBENCH_HOST_DEVICE inline float unit_float(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}

/// The purpose of a stream of random numbers. Its key is computed from the seed, the purpose and a name.
enum class Purpose : std::uint32_t { initialization, shuffle, dropout, augmentation, synthetic_data, codec, gossip };

/// Returns the 64-bit key of a seed, a purpose and the FNV-1a hash of a name: Philox mixes all three.
DDLBENCH_HOST_DEVICE inline std::uint64_t random_key(std::uint64_t seed, Purpose purpose, std::uint64_t hash_of_name) {
  const Philox mixed = philox(seed, static_cast<std::uint64_t>(purpose), hash_of_name);
  return (std::uint64_t{mixed.v[0]} << 32) | mixed.v[1];
}
std::uint64_t random_key(std::uint64_t seed, Purpose purpose, std::string_view name);

}  // namespace ddlbench::graph
