#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// Text in aligned columns, two blanks apart, without trailing blanks. Cells are shown as printable has them.
class Grid {
 public:
  enum class Align { left, right };
  explicit Grid(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  ///< one for each column
  std::string text(int indent) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ddlbench::bench
