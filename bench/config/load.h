#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// Parses the configuration `text`, which errors call `file`, applies the `--set` overrides and checks the result.
/// Throws ConfigError with all problems.
Experiment parse_experiment(const std::string& text, const std::string& file, const std::vector<std::string>& overrides,
                            const Registries& registries);

/// Does the same for the contents of `file`, or of standard input if it is "-". Throws InputError if it cannot be read.
Experiment load_experiment(const std::string& file, const std::vector<std::string>& overrides,
                           const Registries& registries);

}  // namespace ddlbench::bench
