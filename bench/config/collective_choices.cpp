#include "bench/config/collective_choices.h"

#include "collectives/algorithm.h"

namespace ddlbench::bench {

std::vector<std::string> collective_choices() {
  std::vector<std::string> words{"auto"};
  for (const collectives::Algorithm algorithm : collectives::all_algorithms()) words.push_back(algorithm.name());
  return words;
}

}  // namespace ddlbench::bench
