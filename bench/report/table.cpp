#include "bench/report/table.h"

#include <array>
#include <cstdio>

#include "bench/report/grid.h"
#include "bench/report/units.h"

namespace ddlbench::bench {

namespace {

using enum Grid::Align;

std::string format(const char* pattern, double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

/// "holds 3.1e-07": the deviation of the whole update, the strictest of the three.
std::string certificate(const Measurement& measured) {
  return measured.certificate_update ? "holds " + format("%.1e", *measured.certificate_update) : "holds";
}

std::string ranked_table(const Ranking& ranking) {
  Grid grid({right, left, left, right, right, right, right, right, left});
  grid.add({"#", "case", "strategy", "ranks×threads", "step time", "speedup", "memory", "accuracy", "certificate"});
  for (const RankedCase& entry : ranking.ranked) {
    const Measurement& measured = *entry.record.measurement;
    grid.add({std::to_string(entry.rank), entry.record.case_id, entry.record.strategy, ranks_and_threads(entry.record),
              format_interval(measured.step_seconds, measured.step_seconds_low, measured.step_seconds_high),
              entry.comparison.speedup_ratio ? format_ratio(*entry.comparison.speedup_ratio) : "",
              format_bytes(measured.peak_memory_bytes), format("%.4f", measured.final_accuracy_ratio),
              certificate(measured)});
  }
  return grid.text(2);
}

std::string unranked_table(const Ranking& ranking) {
  Grid grid({left, left, right, left});
  for (const UnrankedCase& entry : ranking.unranked) {
    grid.add({entry.record.case_id, entry.record.strategy, ranks_and_threads(entry.record), entry.why});
  }
  return grid.text(2);
}

}  // namespace

std::string format_table(const std::vector<Ranking>& rankings) {
  std::string text;
  for (const Ranking& ranking : rankings) {
    const CaseRecord& any = ranking.ranked.empty() ? ranking.unranked.front().record : ranking.ranked.front().record;
    if (!text.empty()) text += '\n';
    text += describe_contract(any) + " (contract " + ranking.contract_id + ")\n";
    if (!ranking.ranked.empty()) text += ranked_table(ranking);
    if (!ranking.unranked.empty()) text += "not ranked:\n" + unranked_table(ranking);
  }
  return text;
}

}  // namespace ddlbench::bench
