#include "json/problem.h"

#include <fmt/core.h>
#include <algorithm>
#include <tuple>

#include "base/printable.h"

namespace ddlbench::json {

namespace {

std::string pointer_of(const std::string& override) {
  return override.substr(0, override.find('='));
}

/// Returns "--set /pointer=value", with the beginning of a long value.
std::string shown(const std::string& override) {
  constexpr std::size_t longest = 80;
  std::size_t end = std::min(override.size(), longest);
  while (end < override.size() && (static_cast<unsigned char>(override[end]) & 0xC0) == 0x80)
    ++end;  // whole characters
  const std::string text = override.substr(0, end) + (end < override.size() ? "…" : "");
  const bool quoted = text.empty() || text.find_first_of(" \"'[{") != std::string::npos;
  return "--set " + (quoted ? "'" + text + "'" : text);
}

/// Returns " (changed by --set …)" with the last --set of a value inside the one at `pointer`; empty if there is none.
std::string note_of_change(const std::string& pointer, const Sources& sources) {
  if (pointer.empty()) return "";
  for (auto override = sources.overrides.rbegin(); override != sources.overrides.rend(); ++override) {
    if (pointer_of(*override).starts_with(pointer + "/")) return " (changed by " + shown(*override) + ")";
  }
  return "";
}

}  // namespace

std::string to_string(const Problem& problem, const Sources& sources) {
  const std::string text = (problem.pointer.empty() ? "" : problem.pointer + ": ") + problem.what;
  if (problem.at.source == 0) {
    return fmt::format("{}:{}:{}: {}{}", printable(sources.file), problem.at.line, problem.at.column, printable(text),
                       printable(note_of_change(problem.pointer, sources)));
  }
  const std::string& override = sources.overrides.at(static_cast<std::size_t>(problem.at.source) - 1);
  return printable(shown(override) + ": " + (problem.pointer == pointer_of(override) ? problem.what : text));
}

std::vector<Problem> sorted(std::vector<Problem> problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.at.source, a.at.line, a.at.column) < std::tie(b.at.source, b.at.line, b.at.column);
  });
  return problems;
}

std::string to_string(const std::vector<Problem>& problems, const Sources& sources, const std::string& between) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(problems.size(), most); ++i)
    text += (text.empty() ? "" : between) + to_string(problems[i], sources);
  if (problems.size() > most) text += fmt::format("{}… and {} more", between, problems.size() - most);
  return text;
}

}  // namespace ddlbench::json
