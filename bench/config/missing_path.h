#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// Returns a note for an error about a relative path in a configuration where no file exists. The note says which
/// absolute path was tried, because relative paths start in the current folder, and whether the file exists in the
/// configuration's folder. It begins with "; ". It is empty for paths that are absolute or exist.
std::string missing_path_note(const std::string& path, const std::string& configuration);

/// Returns the same notes for the paths among the options of a model or a data set.
std::string missing_path_note(const Choice& choice, const std::string& configuration);

/// What a refusal says of a configuration that is not there: which one of that name was installed in `data_folder`.
/// Begins with "; ". Empty where there is the file, no such name, or no such folder.
std::string note_of_installed(const std::string& configuration, const std::string& data_folder);

}  // namespace ddlbench::bench
