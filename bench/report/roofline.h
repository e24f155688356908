#pragma once

#include <string>
#include <vector>

#include "program/roofline.h"

namespace ddlbench::bench {

/// Returns a table for people, in milliseconds, with the total in the last row and the roof below it.
std::string roofline_text(const std::vector<program::OpWork>& work, const program::Roof& roof);

}  // namespace ddlbench::bench
