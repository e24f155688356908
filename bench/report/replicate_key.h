#pragma once

#include <compare>
#include <string>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// What cases that differ in the seed alone (replicates) have in common. The order is that of their tables.
struct ReplicateKey {
  std::string contract;  ///< replicate_id; in a journal of an older ddlbench contract_id
  int ranks = 1;
  int threads_per_rank = 1;
  std::string strategy, device, transport, settings;

  auto operator<=>(const ReplicateKey&) const = default;
};

ReplicateKey replicate_key(const CaseRecord& record);

}  // namespace ddlbench::bench
