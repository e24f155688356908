#include "bench/records/comparison.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ddlbench::bench {

namespace {

bool has_speed(const CaseRecord& record) {
  return record.status == Status::ok && record.measurement && !certificate_failed(record) &&
         record.measurement->step_seconds > 0;
}

bool can_be_baseline(const CaseRecord& record) {
  return has_speed(record) && record.ranks == 1 && !shares_resources(record);
}

/// The fastest valid baseline of each contract, and of each strategy in it.
class Baselines {
 public:
  explicit Baselines(const std::vector<CaseRecord>& records) {
    for (const CaseRecord& record : records) {
      if (!can_be_baseline(record)) continue;
      keep_faster(of_contract_[record.contract_id], record);
      keep_faster(of_strategy_[{record.contract_id, record.strategy}], record);
    }
  }
  /// Returns nullptr if there is none.
  const CaseRecord* same_contract(const CaseRecord& record) const { return found(of_contract_, record.contract_id); }
  const CaseRecord* same_strategy(const CaseRecord& record) const {
    return found(of_strategy_, std::pair(record.contract_id, record.strategy));
  }

 private:
  static void keep_faster(const CaseRecord*& best, const CaseRecord& record) {
    if (best == nullptr || record.measurement->step_seconds < best->measurement->step_seconds) best = &record;
  }
  static const CaseRecord* found(const auto& map, const auto& key) {
    const auto at = map.find(key);
    return at == map.end() ? nullptr : at->second;
  }

  std::map<std::string, const CaseRecord*> of_contract_;
  std::map<std::pair<std::string, std::string>, const CaseRecord*> of_strategy_;
};

/// Returns the number of accelerators that compute, otherwise that of threads.
double resources(const CaseRecord& record) {
  if (record.measurement->devices) return *record.measurement->devices;
  return static_cast<double>(record.ranks) * record.threads_per_rank;
}

/// The cases on the fewest ranks of each weak-scaling curve with several numbers of ranks.
class WeakCurves {
 public:
  explicit WeakCurves(const std::vector<CaseRecord>& records) {
    for (const CaseRecord& record : records) {
      if (!has_speed(record) || shares_resources(record)) continue;
      Curve& curve = curves_[key_of(record)];
      if (curve.first == nullptr || place_of(record) < place_of(*curve.first)) curve.first = &record;
      curve.ranks.insert(record.ranks);
    }
  }
  /// Returns nullptr if the record is on no curve.
  const CaseRecord* first_of(const CaseRecord& record) const {
    if (shares_resources(record)) return nullptr;
    const auto curve = curves_.find(key_of(record));
    return curve == curves_.end() || curve->second.ranks.size() < 2 ? nullptr : curve->second.first;
  }

 private:
  struct Curve {
    const CaseRecord* first = nullptr;
    std::set<int> ranks;
  };
  using Key = std::tuple<std::string, std::string, double, int, std::string, std::string, std::string>;
  static Key key_of(const CaseRecord& record) {
    const double batch_per_rank = static_cast<double>(record.global_batch) / record.ranks;
    return {record.strategy, record.scaling_id,           batch_per_rank, record.threads_per_rank, record.transport,
            record.device,   record.settings.value_or("")};
  }
  static std::pair<int, double> place_of(const CaseRecord& record) {
    return {record.ranks, record.measurement->step_seconds};
  }

  std::map<Key, Curve> curves_;
};

using VerdictsByContract = std::map<std::string, PairedVerdicts>;

/// Without rounds: the intervals of both step times do not overlap.
Verdict by_intervals(const Interval& ratio) {
  if (ratio.low > 1) return Verdict::faster;
  return ratio.high < 1 ? Verdict::slower : Verdict::ambiguous;
}

void compare_speed(const CaseRecord& record, const CaseRecord& baseline, const VerdictsByContract& all,
                   Comparison& result) {
  const auto verdicts = all.find(record.contract_id);
  std::optional<Interval> paired;
  Verdict verdict = Verdict::not_comparable;
  if (verdicts != all.end()) {
    paired = verdicts->second.ratio(record.case_id, baseline.case_id);
    verdict = verdicts->second.verdict(record.case_id, baseline.case_id);
  }
  const Interval speedup = paired.value_or(ratio_of_steps(*record.measurement, *baseline.measurement));
  if (verdicts == all.end()) verdict = by_intervals(speedup);
  result.baseline_case_id = baseline.case_id;
  result.speedup_ratio = speedup.value;
  result.efficiency_ratio = speedup.value * resources(baseline) / resources(record);
  if (record.case_id == baseline.case_id) {
    result.speedup_low_ratio = result.speedup_high_ratio = 1;
    return;
  }
  result.speedup_low_ratio = speedup.low;
  result.speedup_high_ratio = speedup.high;
  result.verdict = name(verdict);
}

Comparison compare(const CaseRecord& record, const Baselines& baselines, const WeakCurves& curves,
                   const VerdictsByContract& verdicts) {
  Comparison result;
  if (!has_speed(record)) return result;
  if (const CaseRecord* baseline = baselines.same_contract(record)) compare_speed(record, *baseline, verdicts, result);
  if (const CaseRecord* own = baselines.same_strategy(record)) {
    result.own_speedup_ratio = own->measurement->step_seconds / record.measurement->step_seconds;
  }
  if (const CaseRecord* first = curves.first_of(record))
    result.weak_efficiency_ratio = first->measurement->step_seconds / record.measurement->step_seconds;
  return result;
}

}  // namespace

std::vector<Comparison> compare(const std::vector<CaseRecord>& records, const VerdictsByContract& verdicts) {
  const Baselines baselines(records);
  const WeakCurves curves(records);
  std::vector<Comparison> result;
  for (const CaseRecord& record : records) result.push_back(compare(record, baselines, curves, verdicts));
  return result;
}

Interval ratio_of_steps(const Measurement& faster, const Measurement& slower) {
  return {slower.step_seconds / faster.step_seconds, slower.step_seconds_low / faster.step_seconds_high,
          slower.step_seconds_high / faster.step_seconds_low};
}

}  // namespace ddlbench::bench
