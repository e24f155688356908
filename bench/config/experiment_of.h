#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/experiment.h"
#include "bench/config/field.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// The experiment that a resolved configuration (resolve()) says: settings, labels, and the transport and channel of
/// its carrier. The rest of what is derived is for others to find out. `table` is experiment_fields(registries).
Experiment experiment_of(const nlohmann::ordered_json& resolved, const Field& table, const Registries& registries);

}  // namespace ddlbench::bench
