#include "bench/records/digest.h"

#include "graph/random.h"

namespace ddlbench::bench {

std::string hash_of(const std::string& text) {
  std::uint64_t hash = graph::fnv1a(text);
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  return digits;
}

}  // namespace ddlbench::bench
