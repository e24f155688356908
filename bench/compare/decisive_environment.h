#pragma once

#include <nlohmann/json.hpp>

namespace ddlbench::bench {

/// The parts of environment.json that results depend on. Hosts are not among them: machines of one kind are the same.

/// Returns the kind of machine: the model of its processor and of its GPUs, and how ranks are bound to cores. Jobs of
/// different sizes on machines of one kind have the same.
nlohmann::json machine_kind_in(const nlohmann::json& environment);
/// Returns what a run has of its machine: also the cores that it may use, and all GPUs.
nlohmann::json machine_in(const nlohmann::json& environment);
/// Returns the program: its build, and the libraries that it runs with.
nlohmann::json program_in(const nlohmann::json& environment);

}  // namespace ddlbench::bench
