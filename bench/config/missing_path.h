#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// What a refusal says of a relative path that a configuration names and nothing lies at: where it was looked for, for
/// such paths count from the current folder; and where it lies, if it does in the configuration's folder. Begins with
/// "; ". Empty for every other path.
std::string note_of_missing(const std::string& path, const std::string& configuration);

/// The same of the paths among the options of a model or a data set.
std::string note_of_missing(const Choice& choice, const std::string& configuration);

}  // namespace ddlbench::bench
