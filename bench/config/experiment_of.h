#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/experiment.h"
#include "bench/config/field.h"

namespace ddlbench::bench {

/// A resolved configuration as an Experiment.
Experiment experiment_of(const nlohmann::ordered_json& resolved, const Field& table);

}  // namespace ddlbench::bench
