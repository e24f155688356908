#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// A text in aligned columns with two blanks between them and none at the ends of lines. Cells pass through
/// printable().
class Grid {
 public:
  enum class Align { left, right };
  explicit Grid(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  ///< one cell for each column; throws ContractError for another number
  std::string text(int indent) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ddlbench::bench
