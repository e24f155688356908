#pragma once

#include <ctime>

namespace ddlbench::test {

/// A clock of the processor time that this process has used since the clock was created. Unlike wall time, it hardly
/// depends on the load of the machine.
class ProcessorTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

}  // namespace ddlbench::test
