#include "program/check/report.h"

#include <fmt/core.h>

#include "base/join.h"

namespace ddlbench::program {

const Instruction& at(const Program& program, const Location& location) {
  return section(program, location.section)[static_cast<std::size_t>(location.instruction)];
}

std::string describe(const Program& program, const Location& location) {
  return fmt::format("{}{}[{}] '{}'", location.mode == Mode::evaluate ? "evaluate " : "",
                     section_name(program, location.section), location.instruction, at(program, location).name);
}

std::string describe(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + joined(ranks);
}

void Report::add(int rank, std::string where, std::string what) {
  if (known_.emplace(rank, where, what).second) findings_.push_back({rank, std::move(where), std::move(what)});
}

}  // namespace ddlbench::program
