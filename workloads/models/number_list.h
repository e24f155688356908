#pragma once

#include <cstddef>
#include <string>

#include "base/option.h"

namespace ddlbench::workloads {

/// `numbers`, of which one stands for all: as many as `count`. Throws InputError naming the setting ("cnn-fc: kernel").
Integers one_of_each(const std::string& setting, const Integers& numbers, std::size_t count);

}  // namespace ddlbench::workloads
