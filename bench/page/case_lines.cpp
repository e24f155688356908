#include "bench/page/case_lines.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/group_of.h"
#include "base/join.h"
#include "bench/report/replicate_key.h"

namespace ddlbench::bench {
namespace {

using RowPointers = std::vector<const CaseRow*>;

/// A property that distinguishes lines of one strategy.
struct LineCondition {
  std::string (*text)(const CaseRecord&);
};
const std::array<LineCondition, 8> line_conditions{{
    {[](const CaseRecord& record) { return record.workload; }},
    {[](const CaseRecord& record) { return record.dataset; }},
    {[](const CaseRecord& record) { return record.device; }},
    {[](const CaseRecord& record) { return record.transport; }},
    {[](const CaseRecord& record) { return record.throttle; }},
    {[](const CaseRecord& record) { return record.precision; }},
    {[](const CaseRecord& record) { return record.optimizer; }},
    {[](const CaseRecord& record) { return record.settings.value_or(""); }},
}};
constexpr LineCondition own_seed{[](const CaseRecord& record) { return fmt::format("seed {}", record.seed); }};
/// The seed of a case without replicate_id, of an older ddlbench: others can only be joined with replicates.
constexpr LineCondition seed_of_line{
    [](const CaseRecord& record) { return record.replicate_id ? "" : fmt::format("seed {}", record.seed); }};

/// Returns the conditions in which the cases differ, `seed` among them.
std::vector<LineCondition> varying_conditions(const std::vector<CaseRow>& rows, const LineCondition& seed) {
  std::vector<LineCondition> all(line_conditions.begin(), line_conditions.end()), varying;
  all.push_back(seed);
  for (const LineCondition& condition : all) {
    std::set<std::string> values;
    for (const CaseRow& row : rows) values.insert(condition.text(row.record));
    if (values.size() > 1) varying.push_back(condition);
  }
  return varying;
}

std::string context_of(const CaseRecord& record, const std::vector<LineCondition>& conditions) {
  std::vector<std::string> words;
  for (const LineCondition& condition : conditions) {
    if (std::string word = condition.text(record); !word.empty()) words.push_back(std::move(word));
  }
  return joined(words);
}

template <class Key>
std::vector<std::pair<Key, RowPointers>> grouped(const RowPointers& rows,
                                                 const std::function<Key(const CaseRecord&)>& key) {
  std::vector<std::pair<Key, RowPointers>> groups;
  for (const CaseRow* row : rows) group_of(groups, key(row->record)).push_back(row);
  return groups;
}

std::size_t different_ranks(const RowPointers& rows) {
  std::set<int> ranks;
  for (const CaseRow* row : rows) ranks.insert(row->record.ranks);
  return ranks.size();
}

struct LineGroup {
  std::string word;
  RowPointers rows;
  bool weak = false;
};

/// Joins the scaling_ids of replicates, which differ in the seed.
class ScalingCurves {
 public:
  explicit ScalingCurves(const std::vector<Replicates>& all) {
    for (const Replicates& replicates : all) {
      for (const CaseRow* row : replicates)
        joined_[of(row->record.scaling_id)] = of(replicates.front()->record.scaling_id);
    }
  }
  /// Returns the same text for all scaling_ids that are joined.
  std::string of(const std::string& scaling_id) const {
    const auto next = joined_.find(scaling_id);
    return next == joined_.end() || next->second == scaling_id ? scaling_id : of(next->second);
  }

 private:
  std::map<std::string, std::string> joined_;
};

/// Returns the cases of one strategy and scaling curve by contract, and by the batch per rank if that has several
/// numbers of ranks. A case that is alone in its contract and on a line of the latter kind is not repeated.
std::vector<LineGroup> strong_and_weak(const RowPointers& rows) {
  const auto contracts =
      grouped<std::string>(rows, [](const CaseRecord& record) { return replicate_key(record).contract; });
  if (contracts.size() == 1) return {{"", rows, false}};
  std::vector<LineGroup> weak;
  std::set<const CaseRow*> in_weak;
  for (const auto& [batch, own] : grouped<double>(
           rows, [](const CaseRecord& record) { return static_cast<double>(record.global_batch) / record.ranks; })) {
    if (different_ranks(own) < 2) continue;
    weak.push_back({fmt::format("batch {:g} per rank", batch), own, true});
    in_weak.insert(own.begin(), own.end());
  }
  std::vector<LineGroup> groups;
  for (const auto& [contract, own] : contracts) {
    const bool alone = different_ranks(own) == 1;
    if (alone && std::all_of(own.begin(), own.end(), [&](const CaseRow* row) { return in_weak.contains(row); }))
      continue;
    groups.push_back({fmt::format("batch {}", own.front()->record.global_batch), own, false});
  }
  groups.insert(groups.end(), weak.begin(), weak.end());
  return groups;
}

/// Splits a group in which a number of ranks occurs twice: by threads per rank if that suffices, otherwise into cases.
/// The words are those of the parts.
std::vector<LineGroup> without_doubles(const LineGroup& group) {
  const auto is_simple = [](const RowPointers& rows) { return different_ranks(rows) == rows.size(); };
  if (is_simple(group.rows)) return {{"", group.rows, group.weak}};
  std::vector<LineGroup> parts;
  for (const auto& [threads, own] :
       grouped<int>(group.rows, [](const CaseRecord& record) { return record.threads_per_rank; })) {
    parts.push_back({counted(threads, "thread"), own, group.weak});
  }
  if (std::all_of(parts.begin(), parts.end(), [&](const LineGroup& part) { return is_simple(part.rows); }))
    return parts;
  parts.clear();
  for (const CaseRow* row : group.rows) parts.push_back({row->record.case_id, {row}, false});
  return parts;
}

/// Joins the words that are not empty.
std::string words_joined(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  std::copy_if(words.begin(), words.end(), std::back_inserter(kept),
               [](const std::string& word) { return !word.empty(); });
  return joined(kept);
}

std::string facet_of(const RunResults& results, const CaseRecord& record, const LineCondition& seed) {
  const bool batches_vary = std::any_of(results.rows.begin(), results.rows.end(), [&](const CaseRow& row) {
    return row.record.global_batch != record.global_batch;
  });
  return words_joined({context_of(record, varying_conditions(results.rows, seed)),
                       batches_vary ? fmt::format("batch {}", record.global_batch) : ""});
}

}  // namespace

Looks looks_of(const RunResults& results) {
  std::vector<std::string> strategies;
  for (const CaseRow& row : results.rows) strategies.push_back(row.record.strategy);
  return Looks(strategies);
}

std::vector<std::string> facets_of(const std::vector<CaseLine>& lines) {
  std::vector<std::string> facets;
  for (const CaseLine& line : lines) {
    if (std::find(facets.begin(), facets.end(), line.facet) == facets.end()) facets.push_back(line.facet);
  }
  return facets;
}

std::string contract_facet(const RunResults& results, const CaseRecord& record) {
  return facet_of(results, record, own_seed);
}

std::string replicates_facet(const RunResults& results, const CaseRecord& record) {
  return facet_of(results, record, seed_of_line);
}

std::vector<CaseLine> case_lines(const RunResults& results) {
  const std::vector<Replicates> replicates = replicates_of(results);
  std::map<const CaseRow*, const Replicates*> of_first;
  RowPointers firsts;
  for (const Replicates& one : replicates) {
    of_first[one.front()] = &one;
    firsts.push_back(one.front());
  }
  const ScalingCurves curves(replicates);
  const auto conditions = varying_conditions(results.rows, seed_of_line);
  const Looks looks = looks_of(results);
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto groups = grouped<Key>(firsts, [&](const CaseRecord& record) {
    return Key{record.strategy, context_of(record, conditions), curves.of(record.scaling_id)};
  });
  std::vector<CaseLine> lines;
  for (const auto& [key, rows] : groups) {
    const auto& [strategy, context, scaling] = key;
    for (const LineGroup& group : strong_and_weak(rows)) {
      for (const LineGroup& part : without_doubles(group)) {
        CaseLine line{words_joined({context, group.word}),
                      words_joined({strategy, part.word}),
                      looks.of(strategy),
                      {},
                      part.weak};
        for (const CaseRow* first : part.rows) line.points.push_back(*of_first.at(first));
        std::sort(line.points.begin(), line.points.end(), [](const Replicates& a, const Replicates& b) {
          return a.front()->record.ranks < b.front()->record.ranks;
        });
        lines.push_back(std::move(line));
      }
    }
  }
  return lines;
}

}  // namespace ddlbench::bench
