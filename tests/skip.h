#pragma once

#include <string_view>

namespace ddlbench::test {

/// Says that the case cannot run here, and why; the case returns then. CTest reports it as skipped, unless a check of
/// it failed. Threads may call it.
void skip(std::string_view why);

}  // namespace ddlbench::test
