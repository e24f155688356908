#include "collectives/payload.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "graph/tensor.h"

namespace ddlbench::collectives {

Payload::Payload(int members, std::int64_t count) : members_(members), count_(count) {
  require(members >= 1 && count >= 0, "a collective without members, or with a negative count");
}

Payload::Payload(std::vector<std::int64_t> counts)
    : members_(static_cast<int>(counts.size())),
      count_(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})),
      counts_(std::move(counts)),
      offsets_(counts_.size(), 0) {
  require(members_ >= 1, "a collective without members");
  std::partial_sum(counts_.begin(), counts_.end() - 1, offsets_.begin() + 1);
}

Range Payload::part(Memory memory, int member) const {
  if (counts_.empty()) {
    const graph::Extent extent = graph::part_of(count_, members_, member);
    return {memory, extent.begin, extent.size()};
  }
  const auto i = static_cast<std::size_t>(member);
  return {memory, offsets_[i], counts_[i]};
}

std::int64_t Payload::largest_part() const {
  if (counts_.empty()) return graph::part_of(count_, members_, 0).size();
  return *std::max_element(counts_.begin(), counts_.end());
}

}  // namespace ddlbench::collectives
