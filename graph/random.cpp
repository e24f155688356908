#include "graph/random.h"

namespace ddlbench::graph {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::uint64_t random_key(std::uint64_t seed, Purpose purpose, std::string_view name) {
  const Philox mixed = philox(seed, static_cast<std::uint64_t>(purpose), fnv1a(name));
  return (std::uint64_t{mixed.v[0]} << 32) | mixed.v[1];
}

}  // namespace ddlbench::graph
