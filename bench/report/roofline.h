#pragma once

#include <string>
#include <vector>

#include "program/roofline.h"

namespace ddlbench::bench {

/// A table for people, in milliseconds, the total in its last row, and below it the roof.
std::string roofline_text(const std::vector<program::OpWork>& work, const program::Roof& roof);

}  // namespace ddlbench::bench
