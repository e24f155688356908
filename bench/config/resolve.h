#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/field.h"
#include "json/node.h"

namespace ddlbench::bench {

/// A checked configuration with every default written out, in the order of the table. Bare names become
/// objects; numbers have the type that the table gives them.
nlohmann::ordered_json resolve(const json::Node& node, const Field& field);

nlohmann::ordered_json to_json(const OptionValue& value);

/// A resolved value as an option of the type that the table says.
OptionValue to_option(const nlohmann::ordered_json& value, const Field& field);

/// Whether an option is as it is where nothing is written.
bool is_default(const OptionValue& value, const Field& field);

/// A resolved `{kind, …}` of a field of kinds, without the settings that all kinds have in common.
Choice to_choice(const nlohmann::ordered_json& value, const Field& field);

/// Puts for each list in it the text of its values with commas between, as hashes and checkpoints have known them since
/// before options could be lists.
template <class Json>
void lists_to_text(Json& value) {
  if (value.is_array()) {
    std::string text;
    for (const Json& one : value)
      text += (text.empty() ? "" : ",") + (one.is_string() ? one.template get<std::string>() : one.dump());
    value = text;
  } else if (value.is_object()) {
    for (Json& inner : value) lists_to_text(inner);
  }
}

}  // namespace ddlbench::bench
