#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/field.h"
#include "json/node.h"

namespace ddlbench::bench {

/// Return whether a value is a list of values of the setting, each of which gives its own cases. A single value that is
/// itself a list contains no lists.
bool is_list_of(const json::Node& value, const Field& field);
bool is_list_of(const nlohmann::ordered_json& value, const Field& field);

/// Returns a checked configuration with all defaults written out, in the order of the table. Bare names become objects.
/// Numbers have the type that the table gives them.
nlohmann::ordered_json resolve(const json::Node& node, const Field& field);

nlohmann::ordered_json to_json(const OptionValue& value);

/// Returns a resolved value as an option of the type in `field`.
OptionValue to_option(const nlohmann::ordered_json& value, const Field& field);

/// Returns whether an option has its default value.
bool is_default(const OptionValue& value, const Field& field);

/// Returns a resolved `{kind, …}` without the settings that all kinds share.
Choice to_choice(const nlohmann::ordered_json& value, const Field& field);

/// Replaces each list in `value` by a text of its elements with commas between them. Hashes and checkpoints have had
/// this form since before options could be lists.
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
