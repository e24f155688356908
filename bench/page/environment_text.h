#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ddlbench::bench {

// Each reads environment.json, which may be null or of an older ddlbench: what is missing is empty.

/// Returns the text or number at a JSON pointer.
std::string text_at(const nlohmann::json& environment, const char* pointer);

/// Returns the processor, its cores, the memory and the GPUs: "AMD EPYC, 2 cores, 23.5 GiB".
std::string machine_text(const nlohmann::json& environment);

/// Returns the version and the commit of the ddlbench that ran.
std::string version_text(const nlohmann::json& environment);

/// Returns all values of a JSON object with their names, "build.compiler". Names of sizes end in "_bytes", which are
/// shown with a unit.
std::vector<std::pair<std::string, std::string>> flattened(const nlohmann::json& object, char between = '.');

}  // namespace ddlbench::bench
