#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// One of `count` parts, 1 to `count`.
struct Shard {
  std::size_t number = 1, count = 1;
};

/// Parses "2/4". Throws InputError.
Shard parse_shard(const std::string& text);

/// Returns the cases of a part, in order; all parts together have each case once. Cases of one contract, which take
/// turns in rounds, stay together, so that parts are as equal as contracts allow. If there are fewer contracts than
/// parts, the cases are dealt to the parts one by one. Throws InputError if the part has no cases.
std::vector<Case> cases_of_shard(const std::vector<Case>& cases, const Shard& shard);

}  // namespace ddlbench::bench
