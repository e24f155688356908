#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "program/check.h"

namespace ddlbench::program {

/// Selects one of the two programs of a role.
enum class Mode : std::uint8_t { train, evaluate };

inline const Program& program_of(const Role& role, Mode mode) {
  return mode == Mode::train ? role.train : role.evaluate;
}

/// The position of an instruction in a program.
struct Location {
  Mode mode = Mode::train;
  int section = 0;
  InstructionId instruction = none;
};

const Instruction& at(const Program& program, const Location& location);
/// Returns "body[14] 'send a3'", or "evaluate body[14] 'send a3'" for an evaluation.
std::string describe(const Program& program, const Location& location);
std::string describe(const std::vector<int>& ranks);  ///< "ranks 0, 1, 5"

/// A list of findings without duplicates.
class Report {
 public:
  void add(int rank, std::string where, std::string what);
  bool empty() const { return findings_.empty(); }
  std::size_t size() const { return findings_.size(); }
  std::vector<Finding> take() && { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
  std::set<std::tuple<int, std::string, std::string>> known_;
};

}  // namespace ddlbench::program
