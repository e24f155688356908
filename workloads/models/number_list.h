#pragma once

#include <cstddef>
#include <string>

#include "base/option.h"

namespace ddlbench::workloads {

/// Returns `count` numbers: `numbers`, or its only number repeated. Throws InputError that names `setting` ("cnn-fc:
/// kernel") where it has another size.
Integers one_of_each(const std::string& setting, const Integers& numbers, std::size_t count);

}  // namespace ddlbench::workloads
