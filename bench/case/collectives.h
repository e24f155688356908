#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "collectives/algorithm.h"
#include "program/plan.h"
#include "runtime/collectives.h"

namespace ddlbench::bench {

/// Returns the algorithm that the experiment names, or nothing if it is to be chosen by measured times.
std::optional<collectives::Algorithm> wanted_algorithm(const Devices& devices);

/// Convert the choices of one process of a case to text and back, so that its other processes make the same ones
/// without timing them: a line "ALGORITHM KEY" for each. Throws InputError for an unknown algorithm.
std::string choices_text(const std::vector<runtime::CollectiveChoice>& choices);
std::vector<runtime::CollectiveChoice> choices_from_text(const std::string& text);

/// Returns the algorithms of a plan's collectives by kind: "all_reduce: ring, native; all_gather: ring". Empty if there
/// are none.
std::string describe_collectives(const program::Plan& plan);

/// Returns whether some collective is the transport's native one, whose byte count is nominal: it follows from a
/// formula.
bool has_nominal_bytes(const program::Plan& plan);

}  // namespace ddlbench::bench
