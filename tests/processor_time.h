#pragma once

#include <ctime>

namespace ddlbench::test {

/// What this process has computed since: unlike wall time, almost the same beside busy neighbours.
class ProcessorTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

}  // namespace ddlbench::test
