#include "workloads/models/number_list.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ddlbench::workloads {

Integers one_of_each(const std::string& setting, const Integers& numbers, std::size_t count) {
  if (numbers.size() == 1) return Integers(count, numbers.front());
  if (numbers.size() == count) return numbers;
  throw InputError(fmt::format("{} must have one number for all layers or one for each of {}, but has {}", setting,
                               count, numbers.size()));
}

}  // namespace ddlbench::workloads
