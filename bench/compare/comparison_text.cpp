#include "bench/compare/comparison_text.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/join.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/report/ranking.h"

namespace ddlbench::bench {
namespace {

using enum Grid::Align;

/// Returns "2.4 %", or "an unknown amount" if a single round says nothing.
std::string percent(double ratio_less_one) {
  return std::isfinite(ratio_less_one) ? format_percentage(ratio_less_one, 1) : "an unknown amount";
}

/// Returns "5.21", or "5.21 → 5.30" if the values differ.
std::string change(const std::string& before, const std::string& after) {
  return before == after ? before : fmt::format("{} → {}", before, after);
}

std::size_t common_beginning(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

/// Cuts a long value, such as a list of flags, around the first `common` bytes that it shares with the other.
std::string shortened(const std::string& value, std::size_t common) {
  constexpr std::size_t longest = 48, kept_before = 16;
  if (value.size() <= longest) return value;
  std::size_t begin = common > kept_before ? common - kept_before : 0;
  begin -= unfinished_bytes(value.substr(0, begin));
  const std::string part = value.substr(begin, longest);
  const bool ends = begin + longest >= value.size();
  return (begin > 0 ? "…" : "") + part.substr(0, part.size() - unfinished_bytes(part)) + (ends ? "" : "…");
}

std::string memory_change(const Measurement& before, const Measurement& after) {
  const auto mebibytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double from = mebibytes(before.peak_memory_bytes), to = mebibytes(after.peak_memory_bytes);
  if (before.peak_memory_bytes == after.peak_memory_bytes) return fmt::format("{:.2f}", to);
  return fmt::format("{:.2f} → {:.2f} ({:+.1f} %)", from, to, 100 * (to / from - 1));
}

std::string accuracy_change(const CaseRecord& before, const CaseRecord& after) {
  if (!has_trained(before) || !has_trained(after)) return "";
  const auto text = [](const CaseRecord& one) { return fmt::format("{:.4f}", one.measurement->final_accuracy_ratio); };
  return change(text(before), text(after));
}

std::string verdict_text(const ComparedCase& one) {
  const std::string text(name(one.verdict));
  return one.without_rounds ? text + " (no rounds)" : text;
}

std::string case_name(const CasePair& pair) {
  if (pair.old_case == nullptr) return pair.new_case->case_id;
  return pair.new_case ? change(pair.old_case->case_id, pair.new_case->case_id) : pair.old_case->case_id;
}

std::string table_of(const std::vector<const ComparedCase*>& cases, TableFormat as) {
  double longest = 0;
  for (const ComparedCase* one : cases)
    longest = std::max(
        {longest, one->cases.old_case->measurement->step_seconds, one->cases.new_case->measurement->step_seconds});
  const TimeUnit unit(longest);
  TextTable table{{left, left, right, right, right, right, left, right, right}, {}};
  table.rows.push_back({"case", "strategy", "ranks×threads", fmt::format("OLD, {}", unit.name()),
                        fmt::format("NEW, {}", unit.name()), "NEW / OLD [95 %]", "verdict", "MiB per rank, max",
                        "accuracy"});
  for (const ComparedCase* one : cases) {
    const CaseRecord &before = *one->cases.old_case, &after = *one->cases.new_case;
    const Interval ratio = one->ratio();
    table.rows.push_back({case_name(one->cases), after.strategy, ranks_and_threads(after),
                          unit.format(before.measurement->step_seconds), unit.format(after.measurement->step_seconds),
                          fmt::format("{} [{}, {}]", format_fine_ratio(ratio.value), format_fine_ratio(ratio.low),
                                      format_fine_ratio(ratio.high)),
                          verdict_text(*one), memory_change(*before.measurement, *after.measurement),
                          accuracy_change(before, after)});
  }
  return table.format(as);
}

std::string table_of_others(const std::vector<ComparedCase>& cases, TableFormat as) {
  TextTable table{{left, left, right, left}, {{"case", "strategy", "ranks×threads", "why"}}};
  for (const ComparedCase& one : cases) {
    if (one.times) continue;
    const CaseRecord& record = one.cases.new_case ? *one.cases.new_case : *one.cases.old_case;
    table.rows.push_back({case_name(one.cases), record.strategy, ranks_and_threads(record), one.cases.why});
  }
  return table.rows.size() == 1 ? "" : "not comparable:\n" + blank_line(as) + table.format(as);
}

}  // namespace

std::string blank_line(TableFormat as) {
  return as == TableFormat::markdown ? "\n" : "";
}

std::string format_differences(const std::string& heading, const std::vector<Difference>& differences, TableFormat as) {
  if (differences.empty()) return "";
  constexpr std::size_t most_rows = 40;
  TextTable table{{left, left, left}, {{"value", "OLD", "NEW"}}};
  for (std::size_t i = 0; i < std::min(differences.size(), most_rows); ++i) {
    const auto& [name, before, after] = differences[i];
    const std::size_t common = common_beginning(before, after);
    table.rows.push_back({name, shortened(before, common), shortened(after, common)});
  }
  if (differences.size() > most_rows)
    table.rows.push_back({fmt::format("… and {} more", differences.size() - most_rows), "", ""});
  return heading + ":\n" + blank_line(as) + table.format(as) + blank_line(as);
}

std::string format_margin(const RunNoise& noise, double margin) {
  std::vector<std::string> parts{"the margin is " + percent(margin)};
  const auto note = [&](const char* what, const std::optional<Interval>& a, const char* of_a,
                        const std::optional<Interval>& b, const char* of_b) {
    std::vector<std::string> sizes;
    if (a) sizes.push_back(percent(reach(*a)) + of_a);
    if (b) sizes.push_back(percent(reach(*b)) + of_b);
    if (!sizes.empty()) parts.push_back(fmt::format("{} by up to {}", what, joined(sizes, " and ")));
  };
  note("two copies of the baseline differed", noise.old_control, " in OLD", noise.new_control, " in NEW");
  note("the machine's own speed differed between the runs", noise.compute_probe, " (compute probe)", noise.memory_probe,
       " (memory probe)");
  return fmt::format("A claim has to exceed {}: {}.\n", percent(std::expm1(margins_of(noise, margin).claim)),
                     joined(parts, "; "));
}

std::string format_cases(const std::vector<ComparedCase>& cases,
                         const std::function<std::string(const std::string&)>& note_of, TableFormat as) {
  std::vector<std::string> contracts;
  for (const ComparedCase& one : cases) {
    if (one.times && std::find(contracts.begin(), contracts.end(), one.cases.new_case->contract_id) == contracts.end())
      contracts.push_back(one.cases.new_case->contract_id);
  }
  std::vector<std::string> parts;
  for (const std::string& contract : contracts) {
    std::vector<const ComparedCase*> own;
    for (const ComparedCase& one : cases) {
      if (one.times && one.cases.new_case->contract_id == contract) own.push_back(&one);
    }
    parts.push_back(fmt::format("{} (contract {})\n{}{}{}{}", describe_contract(*own.front()->cases.new_case), contract,
                                blank_line(as), table_of(own, as), blank_line(as), note_of(contract)));
  }
  if (std::string others = table_of_others(cases, as); !others.empty()) parts.push_back(std::move(others));
  return joined(parts, "\n");
}

std::string format_conclusion(const std::vector<ComparedCase>& cases) {
  std::vector<std::string> counts;
  for (const Verdict verdict :
       {Verdict::slower, Verdict::faster, Verdict::same, Verdict::ambiguous, Verdict::not_comparable}) {
    const auto count =
        std::count_if(cases.begin(), cases.end(), [&](const auto& one) { return one.verdict == verdict; });
    if (count > 0) counts.push_back(fmt::format("{} {}", count, name(verdict)));
  }
  return counts.empty() ? "There are no cases.\n" : "NEW against OLD: " + joined(counts) + ".\n";
}

bool has_regression(const std::vector<ComparedCase>& cases) {
  return std::any_of(cases.begin(), cases.end(), [](const auto& one) { return one.verdict == Verdict::slower; });
}

}  // namespace ddlbench::bench
