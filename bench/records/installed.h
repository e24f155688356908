#pragma once

#include <string>

namespace ddlbench::bench {

/// Returns the folder of the data files that were installed with this program, PREFIX/share/ddlbench, relative to the
/// program's path. Empty if the program was not installed.
std::string installed_data_folder();

}  // namespace ddlbench::bench
