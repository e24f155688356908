#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/config/field.h"

namespace ddlbench::bench {

/// The JSON schema (draft 2020-12) of the configuration that the table describes.
nlohmann::ordered_json schema(const Field& table);

/// The same as text, as configs/ddlbench.schema.json has it.
std::string schema_text(const Field& table);

/// Every setting as a Markdown table, for docs/configuration.md.
std::string markdown(const Field& table);

}  // namespace ddlbench::bench
