#pragma once

#include "bench/config/field.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// The configuration: every setting that can be written, with its type, default and bounds. What strategies,
/// models and data sets take comes from their own lists of options.
Field experiment_fields(const Registries& registries);

}  // namespace ddlbench::bench
