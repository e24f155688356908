#pragma once

#include <nlohmann/json.hpp>

namespace ddlbench::bench {

/// The parts of environment.json that results depend on. Hosts are not among them: machines of one kind are the same.

/// Returns the machine: processor, cores that a run may use, GPUs.
nlohmann::json machine_in(const nlohmann::json& environment);
/// Returns the program: its build, and the libraries that it runs with.
nlohmann::json program_in(const nlohmann::json& environment);

}  // namespace ddlbench::bench
