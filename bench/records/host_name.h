#pragma once

#include <string>

namespace ddlbench::bench {

/// Of this machine.
std::string host_name();

}  // namespace ddlbench::bench
