#include "json/problem.h"

#include <fmt/core.h>
#include <algorithm>
#include <tuple>

#include "base/printable.h"

namespace ddlbench::json {

std::string to_string(const Location& at, const std::string& file) {
  const std::string source = at.source == 0 ? printable(file) : "--set";
  const int line = at.source == 0 ? at.line : at.source;
  return fmt::format("{}:{}:{}", source, line, at.column);
}

std::string to_string(const Problem& problem, const std::string& file) {
  const std::string text = (problem.pointer.empty() ? "" : problem.pointer + ": ") + problem.what;
  return fmt::format("{}: {}", to_string(problem.at, file), printable(text));
}

std::vector<Problem> sorted(std::vector<Problem> problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.at.source, a.at.line, a.at.column) < std::tie(b.at.source, b.at.line, b.at.column);
  });
  return problems;
}

std::string to_string(const std::vector<Problem>& problems, const std::string& file, const std::string& between) {
  std::string text;
  for (const auto& problem : problems) text += (text.empty() ? "" : between) + to_string(problem, file);
  return text;
}

}  // namespace ddlbench::json
