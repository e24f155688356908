#include "graph/random.h"

#include "base/hash.h"

namespace ddlbench::graph {

std::uint64_t random_key(std::uint64_t seed, Purpose purpose, std::string_view name) {
  return random_key(seed, purpose, fnv1a(name));
}

}  // namespace ddlbench::graph
