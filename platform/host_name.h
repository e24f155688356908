#pragma once

#include <string>

namespace ddlbench::platform {

/// Returns the name of this machine.
std::string host_name();

}  // namespace ddlbench::platform
