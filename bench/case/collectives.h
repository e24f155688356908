#pragma once

#include <optional>
#include <string>

#include "bench/config/experiment.h"
#include "collectives/algorithm.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// The algorithm that an experiment wants; nothing where it leaves it to the times.
std::optional<collectives::Algorithm> wanted_algorithm(const Devices& devices);

/// The algorithms of a plan's collectives, by kind: "all_reduce: ring, native; all_gather: ring". Empty of none.
std::string describe_collectives(const program::Plan& plan);

/// Whether some collective is the transport's own: its bytes are the formula's.
bool has_nominal_bytes(const program::Plan& plan);

}  // namespace ddlbench::bench
