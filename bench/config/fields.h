#pragma once

#include "bench/config/field.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// Returns the table of the configuration: every setting with its type, default and bounds. The settings of strategies,
/// models and data sets come from the options in `registries`.
Field experiment_fields(const Registries& registries);

}  // namespace ddlbench::bench
