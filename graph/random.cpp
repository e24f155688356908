#include "graph/random.h"

namespace ddlbench::graph {

std::uint64_t fnv1a(std::string_view text, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::uint64_t random_key(std::uint64_t seed, Purpose purpose, std::string_view name) {
  return random_key(seed, purpose, fnv1a(name));
}

}  // namespace ddlbench::graph
