#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/field.h"

namespace ddlbench::bench {

/// Returns the JSON schema (draft 2020-12) of the configuration that `table` describes.
nlohmann::ordered_json schema(const Field& table);

/// Returns the schema as text, as in configs/ddlbench.schema.json.
std::string schema_text(const Field& table);

/// Returns all settings as Markdown tables, for docs/configuration.md.
std::string markdown(const Field& table);

}  // namespace ddlbench::bench
