#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/experiment.h"
#include "bench/config/field.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// Returns the experiment that a resolved configuration (see resolve()) describes: settings, labels, and the transport
/// and channel that `devices/transport` stands for. It leaves the other derived values to the caller. `table` is
/// experiment_fields(registries), and `sweep` what sweep_of() returned for it.
Experiment experiment_of(const nlohmann::ordered_json& resolved, const Field& table, const Registries& registries,
                         Sweep sweep = {});

}  // namespace ddlbench::bench
