#include "graph/random.h"

namespace ddlbench::graph {

std::uint64_t random_key(std::uint64_t seed, Purpose purpose, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  const Philox mixed = philox(seed, static_cast<std::uint64_t>(purpose), hash);
  return (std::uint64_t{mixed.v[0]} << 32) | mixed.v[1];
}

}  // namespace ddlbench::graph
