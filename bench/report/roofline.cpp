#include "bench/report/roofline.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/units.h"
#include "bench/report/grid.h"

namespace ddlbench::bench {
namespace {

std::vector<std::string> row(const program::OpWork& work, const program::OpWork& total) {
  return {work.kind,
          std::to_string(work.launches),
          format_ratio(work.flops * 1e-9),
          format_ratio(work.bytes * 1e-6),
          format_ratio(work.least_seconds * 1e3),
          format_percentage(work.memory_seconds, work.least_seconds),
          format_percentage(work.least_seconds, total.least_seconds)};
}

}  // namespace

std::string roofline_text(const std::vector<program::OpWork>& work, const program::Roof& roof) {
  const program::OpWork total = program::total_of(work);
  const std::vector<std::string> header{"op",         "launches",        "GFLOP",      "MB",
                                        "minimum ms", "bound by memory", "of the step"};
  std::vector<Grid::Align> columns(header.size(), Grid::Align::right);
  columns.front() = Grid::Align::left;
  Grid grid(columns);
  grid.add(header);
  for (const program::OpWork& one : work) grid.add(row(one, total));
  grid.add(row(total, total));
  return fmt::format(
      "{}Minimum times at {} TFLOP/s and {} GB/s, moving each operand once; communication and caches are not "
      "included.\n",
      grid.text(0), format_ratio(roof.flops_per_second * 1e-12), format_ratio(roof.bytes_per_second * 1e-9));
}

}  // namespace ddlbench::bench
