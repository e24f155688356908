#pragma once

#include <string>

namespace ddlbench::bench {

/// The build ID that the linker wrote into this program: another build has another one.
std::string program_id();

}  // namespace ddlbench::bench
