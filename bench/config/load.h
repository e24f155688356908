#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/config/field.h"
#include "bench/config/problem.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// Reads a configuration from `text`, which errors call `file`, with the `--set` overrides on top.
/// Throws ConfigError with everything that is wrong.
Experiment parse_experiment(const std::string& text, const std::string& file, const std::vector<std::string>& overrides,
                            const Registries& registries);

/// The same of a file. Throws InputError where it cannot be read.
Experiment load_experiment(const std::string& file, const std::vector<std::string>& overrides,
                           const Registries& registries);

}  // namespace ddlbench::bench
