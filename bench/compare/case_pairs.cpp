#include "bench/compare/case_pairs.h"

#include <fmt/core.h>
#include <algorithm>
#include <functional>

#include "base/join.h"
#include "bench/compare/differences.h"
#include "bench/records/work.h"
#include "bench/report/ranking.h"

namespace ddlbench::bench {
namespace {

/// Returns what makes two cases other work.
std::vector<std::string> other_work(const RunResults& old_run, const CaseRecord& old_case, const RunResults& new_run,
                                    const CaseRecord& new_case) {
  std::vector<std::string> found;
  const auto note = [&](const char* what, const auto& old_value, const auto& new_value) {
    if (old_value != new_value) found.push_back(fmt::format("{} ({} → {})", what, old_value, new_value));
  };
  note("threads per rank", old_case.threads_per_rank, new_case.threads_per_rank);
  note("transport", old_case.transport, new_case.transport);
  note("device", old_case.device, new_case.device);
  if (old_case.contract_id != new_case.contract_id)
    found.push_back("other contract: " + contract_difference(old_run, old_case, new_run, new_case));
  return found;
}

/// The cases of the old run that have no partner yet.
class Waiting {
 public:
  explicit Waiting(const RunResults& run) {
    for (const CaseRow& row : run.rows) cases_.push_back(&row.record);
  }
  /// Removes the first one that `fits`; returns nullptr if there is none.
  const CaseRecord* take(const std::function<bool(const CaseRecord&)>& fits) {
    const auto at = std::find_if(cases_.begin(), cases_.end(), [&](const CaseRecord* one) { return fits(*one); });
    if (at == cases_.end()) return nullptr;
    const CaseRecord* taken = *at;
    cases_.erase(at);
    return taken;
  }
  const std::vector<const CaseRecord*>& all() const { return cases_; }

 private:
  std::vector<const CaseRecord*> cases_;
};

/// Pairs a case that has no partner of the same work.
void pair_with_similar(CasePair& pair, Waiting& waiting, const RunResults& old_run, const RunResults& new_run) {
  std::vector<std::string> fewest;
  for (const CaseRecord* one : waiting.all()) {
    if (one->strategy != pair.new_case->strategy || one->ranks != pair.new_case->ranks) continue;
    std::vector<std::string> found = other_work(old_run, *one, new_run, *pair.new_case);
    if (pair.old_case != nullptr && found.size() >= fewest.size()) continue;
    pair.old_case = one;
    fewest = std::move(found);
  }
  pair.why = pair.old_case ? joined(fewest, "; ") : "only in NEW";
  waiting.take([&](const CaseRecord& one) { return &one == pair.old_case; });
}

}  // namespace

std::string why_incomparable(const CaseRecord& old_case, const CaseRecord& new_case) {
  const std::string in_old = why_unranked(old_case), in_new = why_unranked(new_case);
  if (in_old == in_new) return in_old;
  if (in_old.empty()) return "in NEW: " + in_new;
  return in_new.empty() ? "in OLD: " + in_old : fmt::format("in OLD: {}; in NEW: {}", in_old, in_new);
}

std::vector<CasePair> pair_cases(const RunResults& old_run, const RunResults& new_run) {
  Waiting waiting(old_run);
  std::vector<CasePair> pairs;
  for (const CaseRow& row : new_run.rows) {
    const Work work = work_of(row.record);
    pairs.push_back({waiting.take([&](const CaseRecord& one) { return work_of(one) == work; }), &row.record, ""});
    if (const CaseRecord* old_case = pairs.back().old_case) pairs.back().why = why_incomparable(*old_case, row.record);
  }
  for (CasePair& pair : pairs) {
    if (pair.old_case == nullptr) pair_with_similar(pair, waiting, old_run, new_run);
  }
  for (const CaseRecord* left : waiting.all()) pairs.push_back({left, nullptr, "only in OLD"});
  return pairs;
}

}  // namespace ddlbench::bench
