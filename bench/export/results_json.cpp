#include "bench/export/results_json.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "bench/records/tables.h"
#include "bench/report/decision.h"
#include "bench/report/seed_summary.h"
#include "bench/report/warnings.h"
#include "bench/statistics/interval.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array speedup_names{"speedup_ratio", "speedup_low_ratio", "speedup_high_ratio"};

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// Adds an estimate and its limits, or nulls.
void add_interval(Json& object, const std::array<const char*, 3>& names, const std::optional<Interval>& of) {
  object[names[0]] = of ? finite_or_null(of->value) : nullptr;
  object[names[1]] = of ? finite_or_null(of->low) : nullptr;
  object[names[2]] = of ? finite_or_null(of->high) : nullptr;
}

/// Returns how many times as fast as its first copy the second copy of the baseline was.
std::optional<Interval> control_of(const Ranking& ranking) {
  if (!ranking.verdicts || !ranking.verdicts->control()) return std::nullopt;
  const Interval& time = *ranking.verdicts->control();
  return Interval{1 / time.value, 1 / time.high, 1 / time.low};
}

/// Returns the verdict about each two ranked cases, from the rounds.
Json pairs_of(const Ranking& ranking) {
  Json pairs = Json::array();
  if (!ranking.verdicts) return pairs;
  for (std::size_t a = 0; a < ranking.ranked.size(); ++a) {
    for (std::size_t b = a + 1; b < ranking.ranked.size(); ++b) {
      const std::string& one = ranking.ranked[a].record.case_id;
      const std::string& other = ranking.ranked[b].record.case_id;
      Json pair{{"case_id", one}, {"other_case_id", other}, {"verdict", name(ranking.verdicts->verdict(one, other))}};
      add_interval(pair, speedup_names, ranking.verdicts->ratio(one, other));
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

Json contract(const Ranking& ranking) {
  Json object{{"contract_id", ranking.contract_id},
              {"description", describe_contract(any_case(ranking))},
              {"decision", decide(ranking)},
              {"warnings", warnings_of(ranking)},
              {"margin_ratio", ranking.verdicts ? finite_or_null(ranking.verdicts->margin()) : nullptr}};
  add_interval(object, {"control_ratio", "control_low_ratio", "control_high_ratio"}, control_of(ranking));
  object["ranked"] = Json::array();
  for (const RankedCase& one : ranking.ranked)
    object["ranked"].push_back({{"case_id", one.record.case_id}, {"rank", one.rank}, {"letters", one.letters}});
  object["not_ranked"] = Json::array();
  for (const UnrankedCase& one : ranking.unranked)
    object["not_ranked"].push_back({{"case_id", one.record.case_id}, {"reason", one.why}});
  object["pairs"] = pairs_of(ranking);
  return object;
}

Json seeds_line(const SeedLine& line) {
  Json object{{"strategy", line.strategy},
              {"conditions", line.conditions.empty() ? Json(nullptr) : Json(line.conditions)},
              {"ranks", line.ranks},
              {"threads_per_rank", line.threads_per_rank},
              {"is_baseline", line.is_baseline}};
  add_interval(object, {"step_seconds", "step_seconds_low", "step_seconds_high"}, line.step_seconds);
  add_interval(object, speedup_names, line.speedup_ratio);
  add_interval(object, {"accuracy_ratio", "accuracy_low_ratio", "accuracy_high_ratio"}, line.accuracy_ratio);
  add_interval(object, {"accuracy_difference", "accuracy_difference_low", "accuracy_difference_high"},
               line.accuracy_difference);
  object["accuracy_verdict"] = line.accuracy_verdict.empty() ? Json(nullptr) : Json(line.accuracy_verdict);
  object["trained"] = line.trained;
  object["reached_target"] = line.has_target ? Json(line.reached) : Json(nullptr);
  add_interval(object, {"seconds_to_target", "seconds_to_target_low", "seconds_to_target_high"},
               line.seconds_to_target);
  add_interval(object, {"epochs_to_target", "epochs_to_target_low", "epochs_to_target_high"}, line.epochs_to_target);
  return object;
}

Json seeds(const std::vector<Ranking>& rankings) {
  Json tables = Json::array();
  for (const SeedTable& table : seed_tables(rankings)) {
    Json lines = Json::array();
    for (const SeedLine& line : table.lines) lines.push_back(seeds_line(line));
    tables.push_back({{"replicate_id", table.replicate_id},
                      {"description", table.description},
                      {"seeds", table.seeds},
                      {"lines", std::move(lines)}});
  }
  return tables;
}

template <class Row>
void add_table(Json& run, const std::vector<Row>& rows) {
  Table<Row> table;
  for (const Row& row : rows) table.add_columns(row);
  Json& objects = run[std::string(Table<Row>::name())] = Json::array();
  for (const Row& row : rows) objects.push_back(table.object(row));
}

Json run_object(const RunResults& results) {
  Json run{{"folder", results.folder},
           {"notes", results.notes},
           {"environment", results.environment},
           {"config", results.config},
           {"contracts", Json::array()}};
  for (const Ranking& ranking : results.rankings) run["contracts"].push_back(contract(ranking));
  run["seeds"] = seeds(results.rankings);
  add_table(run, results.rows);
  add_table(run, results.records.epochs);
  add_table(run, results.records.validations);
  add_table(run, results.records.ranks);
  add_table(run, results.records.utilisation);
  add_table(run, results.records.visits);
  return run;
}

}  // namespace

std::string results_json(const std::vector<RunResults>& runs) {
  Json document{{"schema_version", results_json_version}, {"runs", Json::array()}};
  for (const RunResults& results : runs) document["runs"].push_back(run_object(results));
  return document.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace ddlbench::bench
