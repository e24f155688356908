#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/counted.h"
#include "base/join.h"
#include "bench/page/data_table.h"
#include "bench/page/environment_text.h"
#include "bench/page/sections.h"

namespace ddlbench::bench {
namespace {

/// Returns the different texts of the cases in the order of their first cases.
std::vector<std::string> different(const RunResults& results,
                                   const std::function<std::string(const CaseRecord&)>& text) {
  std::vector<std::string> texts;
  for (const CaseRow& row : results.rows) {
    const std::string own = text(row.record);
    if (!own.empty() && std::find(texts.begin(), texts.end(), own) == texts.end()) texts.push_back(own);
  }
  return texts;
}

std::string different_joined(const RunResults& results, const std::function<std::string(const CaseRecord&)>& text) {
  return joined(different(results, text), "; ");
}

/// Returns the path of the data set in the configuration; empty if it has none.
std::filesystem::path data_path(const RunResults& results) {
  const nlohmann::json::json_pointer at("/workload/dataset/path");
  if (!results.config.is_object() || !results.config.contains(at) || !results.config.at(at).is_string()) return {};
  return results.config.at(at).get<std::string>();
}

std::string data_sets(const RunResults& results) {
  const std::string kinds = different_joined(results, [](const CaseRecord& record) { return record.dataset; });
  const std::filesystem::path path = data_path(results);
  return path.empty() ? kinds : kinds + ", " + path.string();
}

std::string counts_of_cases(const RunResults& results) {
  std::vector<std::string> words;
  for (const std::string& status :
       different(results, [](const CaseRecord& record) { return std::string(name(record.status)); })) {
    const auto count = std::count_if(results.rows.begin(), results.rows.end(),
                                     [&](const CaseRow& row) { return name(row.record.status) == status; });
    words.push_back(fmt::format("{} {}", count, status));
  }
  const auto ranked = std::count_if(results.rows.begin(), results.rows.end(),
                                    [&](const CaseRow& row) { return results.is_ranked(row.record); });
  return fmt::format("{} ({}), {} of them ranked", results.rows.size(), joined(words), ranked);
}

std::string question_of(const RunResults& results) {
  const auto strategies = different(results, [](const CaseRecord& record) { return record.strategy; });
  const auto workloads =
      different(results, [](const CaseRecord& record) { return record.workload + " on " + record.dataset; });
  const std::filesystem::path path = data_path(results);
  const std::string folder = path.has_filename() ? " (" + path.filename().string() + ")" : "";
  const std::string machine = machine_text(results.environment);
  return fmt::format("Which of {} trains {}{} fastest{}?", counted(strategies.size(), "strategy", "strategies"),
                     joined(workloads, " and "), folder, machine.empty() ? "" : " on " + machine);
}

void add_fact(std::vector<std::pair<std::string, std::string>>& facts, const std::string& name,
              const std::string& value) {
  if (!value.empty()) facts.emplace_back(name, value);
}

}  // namespace

Html question_section(const RunResults& results) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (!results.rows.empty()) {
    add_fact(facts, "Model", different_joined(results, [](const CaseRecord& record) { return record.workload; }));
    add_fact(facts, "Data", data_sets(results));
    add_fact(facts, "Global batch", different_joined(results, [](const CaseRecord& record) {
               return fmt::format("{} samples", record.global_batch);
             }));
    add_fact(facts, "Precision", different_joined(results, [](const CaseRecord& record) { return record.precision; }));
    add_fact(facts, "Optimizer", different_joined(results, [](const CaseRecord& record) { return record.optimizer; }));
    add_fact(facts, "Epochs", different_joined(results, [](const CaseRecord& record) {
               return has_trained(record) ? std::to_string(record.epochs) : "none trained";
             }));
    add_fact(facts, "Seed",
             different_joined(results, [](const CaseRecord& record) { return std::to_string(record.seed); }));
    add_fact(facts, "Target", different_joined(results, [](const CaseRecord& record) { return record.target; }));
    add_fact(facts, "Ranks",
             different_joined(results, [](const CaseRecord& record) { return std::to_string(record.ranks); }));
    add_fact(facts, "Device", different_joined(results, [](const CaseRecord& record) {
               return record.measurement ? record.measurement->device_name : record.device;
             }));
    add_fact(facts, "Transport", different_joined(results, [](const CaseRecord& record) { return record.transport; }));
    add_fact(facts, "Throttle", different_joined(results, [](const CaseRecord& record) { return record.throttle; }));
  }
  add_fact(facts, "Machine", machine_text(results.environment));
  add_fact(facts, "Started", text_at(results.environment, "/start_time_utc"));
  add_fact(facts, "ddlbench", version_text(results.environment));
  add_fact(facts, "Cases", results.rows.empty() ? "none" : counts_of_cases(results));
  Html html;
  if (!results.rows.empty()) html = element("p", {{"class", "question"}}, html_text(question_of(results)));
  for (const std::string& note : results.notes) html += element("p", {{"class", "note"}}, html_text(note));
  return html + fact_table("What was measured", facts);
}

}  // namespace ddlbench::bench
