#include "bench/config/collective_words.h"

#include "collectives/algorithm.h"

namespace ddlbench::bench {

std::vector<std::string> collective_words() {
  std::vector<std::string> words{"auto"};
  for (const collectives::Algorithm algorithm : collectives::every_algorithm()) words.push_back(algorithm.name());
  return words;
}

}  // namespace ddlbench::bench
