#pragma once

#include <string_view>

namespace ddlbench::test {

/// Reports that the current test case cannot run here, and why; the test case then returns. CTest reports it as
/// skipped, unless one of its checks failed. Thread-safe.
void skip(std::string_view why);

}  // namespace ddlbench::test
