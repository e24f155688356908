#pragma once

#include <string>

namespace ddlbench::platform {

/// Of this machine.
std::string host_name();

}  // namespace ddlbench::platform
