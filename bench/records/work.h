#pragma once

#include <string>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// What makes cases of two runs the same work: their times can be compared.
struct Work {
  std::string contract_id;
  std::string strategy;  ///< the label, with the settings that differ from their defaults
  int ranks = 1;
  int threads_per_rank = 1;
  std::string transport;
  std::string device;
  auto operator<=>(const Work&) const = default;
};

inline Work work_of(const CaseRecord& record) {
  return {record.contract_id, record.strategy, record.ranks, record.threads_per_rank, record.transport, record.device};
}

}  // namespace ddlbench::bench
