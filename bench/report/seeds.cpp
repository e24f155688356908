#include "bench/report/seeds.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "bench/report/grid.h"
#include "bench/report/seed_summary.h"

namespace ddlbench::bench {

namespace {

/// Returns "0.874 [0.870, 0.878]"; only the value without an interval; empty without a value.
std::string cell(const std::optional<Interval>& of, const auto& format) {
  if (!of) return "";
  if (!std::isfinite(of->high)) return format(of->value);
  return fmt::format("{} [{}, {}]", format(of->value), format(of->low), format(of->high));
}

std::string speedup(const SeedLine& line) {
  return line.is_baseline ? "1.00" : cell(line.speedup_ratio, format_ratio);
}

std::string accuracy_difference(const SeedLine& line) {
  if (!line.accuracy_difference) return "";
  const Interval& by = *line.accuracy_difference;
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}] {}", by.value, by.low, by.high, line.accuracy_verdict);
}

/// Returns the time or the number of epochs to the target; how many reached it, if not all did.
std::string to_target(const SeedLine& line, const std::optional<Interval>& estimate, const auto& format) {
  if (!line.has_target || line.trained == 0) return "";
  if (line.reached == line.trained) return cell(estimate, format);
  return fmt::format("{} of {} reached it", line.reached, line.trained);
}

std::string text_of(const SeedTable& table) {
  double largest = 0;
  for (const SeedLine& line : table.lines) largest = std::max(largest, line.step_seconds.value_or(Interval()).value);
  const TimeUnit unit(largest);
  const auto fixed = [](int digits) {
    return [digits](double value) { return fmt::format("{:.{}f}", value, digits); };
  };
  using enum Grid::Align;
  std::vector<std::vector<std::string>> columns{{"strategy"},
                                                {"ranks×threads"},
                                                {fmt::format("step, {} [95 %]", unit.name())},
                                                {"speedup [95 %]"},
                                                {"accuracy [95 %]"},
                                                {"less that on one rank [95 %]"},
                                                {"time to target, s [95 %]"},
                                                {"epochs to target [95 %]"}};
  for (const SeedLine& line : table.lines) {
    const std::vector<std::string> cells{
        line.conditions.empty() ? line.strategy : line.strategy + ", " + line.conditions,
        fmt::format("{}×{}", line.ranks, line.threads_per_rank),
        cell(line.step_seconds, [&](double value) { return unit.format(value); }),
        speedup(line),
        cell(line.accuracy_ratio, fixed(4)),
        accuracy_difference(line),
        to_target(line, line.seconds_to_target, fixed(2)),
        to_target(line, line.epochs_to_target, fixed(1))};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].push_back(cells[i]);
  }
  // A column without content is left out.
  std::erase_if(columns, [](const auto& column) {
    return std::all_of(column.begin() + 1, column.end(), [](const std::string& text) { return text.empty(); });
  });
  std::vector<Grid::Align> aligned(columns.size(), right);
  aligned.front() = left;
  Grid grid(aligned);
  for (std::size_t row = 0; row <= table.lines.size(); ++row) {
    std::vector<std::string> cells;
    for (const auto& column : columns) cells.push_back(column[row]);
    grid.add(cells);
  }
  return fmt::format("{}\n{}", table.description, grid.text(2));
}

}  // namespace

std::string format_seeds(const std::vector<Ranking>& rankings) {
  std::string text;
  for (const SeedTable& table : seed_tables(rankings)) text += '\n' + text_of(table);
  return text;
}

}  // namespace ddlbench::bench
