#pragma once

#include <string>

namespace ddlbench::platform {

/// Returns the build ID that the linker wrote into this program; it differs between builds.
std::string program_id();

}  // namespace ddlbench::platform
