#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "base/units.h"
#include "bench/report/timeline_drawing.h"

namespace ddlbench::bench {

namespace {

constexpr int min_columns = 20;

/// Returns the letters of one line. Each column shows what takes most of it; it is blank if less than a quarter of it
/// is taken.
std::string letters(const std::vector<Stretch>& stretches, std::int64_t length, int columns) {
  std::vector<std::array<double, stretch_kinds>> shares(static_cast<std::size_t>(columns));
  const double per_column = static_cast<double>(std::max<std::int64_t>(length, 1)) / columns;
  for (const Stretch& stretch : stretches) {
    const double begin = static_cast<double>(stretch.begin) / per_column;
    const double end = static_cast<double>(stretch.end) / per_column;
    for (int column = static_cast<int>(begin); column < columns && column < end; ++column) {
      const double share = std::min(end, column + 1.0) - std::max(begin, static_cast<double>(column));
      shares[static_cast<std::size_t>(column)][static_cast<std::size_t>(stretch.kind)] += share;
    }
  }
  std::string line;
  for (const auto& column : shares) {
    const auto most = std::max_element(column.begin(), column.end());
    double all = 0;
    for (const double share : column) all += share;
    line += all < 0.25 ? ' ' : style(static_cast<StretchKind>(most - column.begin())).letter;
  }
  return line;
}

std::string_view terminal_color(char letter) {
  switch (letter) {
    case 'F':
      return "\033[38;5;32m";
    case 'B':
      return "\033[38;5;214m";
    case 'W':
      return "\033[38;5;227m";
    case 'R':
      return "\033[38;5;166m";
    case 'U':
      return "\033[38;5;175m";
    case '=':
      return "\033[38;5;74m";
    case 'i':
      return "\033[38;5;36m";
    default:
      return "\033[38;5;245m";
  }
}

std::string colored(const std::string& line) {
  std::string text;
  char last = ' ';
  for (const char letter : line) {
    if (letter != last && letter != ' ') text += terminal_color(letter);
    text += letter;
    if (letter != ' ') last = letter;
  }
  return text + "\033[0m";
}

}  // namespace

std::string timeline_text(const Drawing& drawing, int width, bool color) {
  std::size_t label = 0;
  for (const Drawing::Row& row : drawing.rows) label = std::max(label, row.name.size());
  const int columns = std::max(min_columns, width - static_cast<int>(label) - 1);
  const auto paint = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return color && !line.empty() ? colored(line) : line;
  };
  const auto padded = [&](const std::string& name) { return name + std::string(label + 1 - name.size(), ' '); };

  std::string text;
  for (const Drawing::Row& row : drawing.rows) {
    text += fmt::format("{}{}\n", padded(row.name), paint(letters(row.stretches, drawing.length, columns)));
    if (!row.transfers.empty()) {
      text += fmt::format("{}{}\n", padded(""), paint(letters(row.transfers, drawing.length, columns)));
    }
  }
  const std::string end = format_seconds(static_cast<double>(drawing.length) * 1e-9);
  text += fmt::format("{}0{}{}\n{}", padded(""),
                      std::string(std::max<std::size_t>(1, static_cast<std::size_t>(columns) - 1 - end.size()), ' '),
                      end, padded(""));
  for (int i = 0; i < stretch_kinds; ++i) {
    const StretchStyle& known = style(static_cast<StretchKind>(i));
    text += fmt::format("{}{} {}", i > 0 ? "  " : "", std::string(1, known.letter), known.label);
  }
  return text + "\n";
}

}  // namespace ddlbench::bench
