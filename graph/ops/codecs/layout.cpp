#include "graph/ops/codecs/layout.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace ddlbench::graph {

std::int64_t selected_of(double density, std::int64_t elements) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - 1;
  if (elements > most)
    throw InputError(fmt::format("a codec that selects elements takes at most {} at once, not {}", most, elements));
  if (elements == 0) return 0;
  return std::clamp<std::int64_t>(std::llround(density * static_cast<double>(elements)), 1, elements);
}

Option group_option(std::int64_t value) {
  return {"group",
          value,
          "Number of elements that share a scale, a multiple of 512.",
          static_cast<double>(GroupedLayout::tile),
          {},
          0x1p24};
}

Option density_option(double value) {
  Option option{"density", value, "Share of the elements that are sent.", 0, {}, 1};
  option.above = true;
  return option;
}

std::vector<OptionProblem> group_problems(const OptionValues& options) {
  const auto group = value_of<std::int64_t>(options, "group");
  if (group % GroupedLayout::tile == 0) return {};
  return {{"group", fmt::format("must be a multiple of {}, but is {}", GroupedLayout::tile, group)}};
}

}  // namespace ddlbench::graph
