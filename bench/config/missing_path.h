#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// Returns a note for an error about a relative path in a configuration where no file exists. The note says which
/// absolute path was tried, because relative paths start in the current folder, and whether the file exists in the
/// configuration's folder. It begins with "; ". It is empty for paths that are absolute or exist.
std::string note_of_missing(const std::string& path, const std::string& configuration);

/// Returns the same notes for the paths among the options of a model or a data set.
std::string note_of_missing(const Choice& choice, const std::string& configuration);

}  // namespace ddlbench::bench
