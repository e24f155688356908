#pragma once

#include <string>

namespace ddlbench::bench {

/// The folder of the data files that were installed with this program, PREFIX/share/ddlbench, found from the program's
/// own place. Empty where the program was not installed.
std::string installed_data_folder();

}  // namespace ddlbench::bench
