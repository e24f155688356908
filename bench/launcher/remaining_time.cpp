#include "bench/launcher/remaining_time.h"

namespace ddlbench::bench {

RemainingTime::RemainingTime(const std::vector<Case>& cases, double rounds_seconds, const CaseDurations& durations)
    : durations_(durations), longest_rounds_seconds_(rounds_seconds) {
  for (const Case& which : cases) {
    if (which.can_run()) left_.add(durations_.one(which.id), 1);
    contracts_left_.insert(which.contract_id);
  }
}

void RemainingTime::end_case(const Case& which) {
  if (which.can_run()) left_.add(durations_.one(which.id), -1);
}

void RemainingTime::end_rounds(const std::string& contract_id, double seconds) {
  if (contracts_left_.erase(contract_id) == 0) return;
  rounds_seconds_ += seconds;
  ++rounds_ended_;
}

std::optional<double> RemainingTime::seconds() const {
  const auto cases = durations_.expected(left_);
  if (!cases) return std::nullopt;
  const double rounds = rounds_ended_ == 0 ? longest_rounds_seconds_ : rounds_seconds_ / rounds_ended_;
  return *cases + static_cast<double>(contracts_left_.size()) * rounds;
}

}  // namespace ddlbench::bench
