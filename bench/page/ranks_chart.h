#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/page/case_lines.h"
#include "bench/page/line_chart.h"

namespace ddlbench::bench {

/// A positive value of a case: a time or a ratio.
using ValueOfCase = std::function<std::optional<ChartValue>(const CaseRow&)>;

/// Returns the lines as points over ranks, estimated over the seeds. Cases without a finite, positive value are left
/// out. A tooltip has the case and the value in the unit.
std::vector<ChartLine> lines_over_ranks(const RunResults& results, const std::vector<CaseLine>& lines,
                                        const ValueOfCase& value, const DisplayUnit& unit);

/// The smallest and largest number that the lines and guides draw, with intervals up to half and twice their point.
/// Both are 0 if there are no lines.
struct ValueRange {
  double low = 0, high = 0;
};
ValueRange range_of(const std::vector<ChartLine>& lines, const std::vector<GuideLine>& guides = {});

/// Returns an axis from zero, or a logarithmic one if the values lie far apart.
Axis axis_of_range(const std::string& title, const DisplayUnit& unit, const ValueRange& range);

/// Returns the axis of ranks for the lines.
Axis ranks_axis_of(const std::vector<ChartLine>& lines);

}  // namespace ddlbench::bench
