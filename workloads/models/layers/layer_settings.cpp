#include "workloads/models/layers/layer_settings.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <optional>

#include "json/pointer.h"
#include "json/suggest.h"

namespace ddlbench::workloads {
namespace {

using json::Node;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "null";
    case Node::Kind::boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::integer:
      return std::to_string(node.integer);
    case Node::Kind::number:
      return node.text;
    case Node::Kind::text:
      return "the string \"" + node.text + "\"";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::object:
      return "an object";
  }
  throw ContractError("unknown kind of JSON value");
}

/// Reads a value as the type of the setting's default; empty where it does not fit.
class Reader {
 public:
  Reader(const Option& option, const Node& value) : option_(option), value_(value) {}

  std::optional<OptionValue> operator()(bool) const {
    if (value_.kind != Node::Kind::boolean) return {};
    return value_.boolean;
  }
  std::optional<OptionValue> operator()(std::int64_t) const {
    if (value_.kind != Node::Kind::integer || !within(value_.number)) return {};
    return value_.integer;
  }
  std::optional<OptionValue> operator()(double) const {
    const bool is_number = value_.kind == Node::Kind::integer || value_.kind == Node::Kind::number;
    if (!is_number || !within(value_.number)) return {};
    return value_.number;
  }
  std::optional<OptionValue> operator()(const std::string&) const {
    if (value_.kind != Node::Kind::text || !contains(option_.choices, value_.text)) return {};
    return value_.text;
  }
  template <class Other>
  std::optional<OptionValue> operator()(const Other&) const {
    throw ContractError("a layer's settings must be single values");
  }

 private:
  bool within(double value) const { return value >= option_.minimum && value <= option_.maximum; }

  const Option& option_;
  const Node& value_;
};

std::string wanted(const Option& option) {
  if (std::holds_alternative<bool>(option.default_value)) return "true or false";
  if (std::holds_alternative<std::string>(option.default_value)) {
    std::string text;
    for (const std::string& choice : option.choices) text += (text.empty() ? "" : " or ") + ("\"" + choice + "\"");
    return text;
  }
  const std::string what = std::holds_alternative<std::int64_t>(option.default_value) ? "an integer" : "a number";
  if (option.maximum == std::numeric_limits<double>::max())
    return fmt::format("{} of at least {}", what, number(option.minimum));
  return fmt::format("{} from {} to {}", what, number(option.minimum), number(option.maximum));
}

bool must_be_given(const Option& option) {
  const auto* value = std::get_if<std::int64_t>(&option.default_value);
  return value != nullptr && static_cast<double>(*value) < option.minimum;
}

}  // namespace

void Document::fail(json::Location at, const std::string& pointer, const std::string& what) const {
  throw InputError(to_string(json::Problem{at, pointer, what}, file_));
}

void Document::require_object(const Place& place, const std::vector<std::string>& known) const {
  if (place.node.kind != Node::Kind::object) fail(place, "expected an object; found " + found(place.node));
  for (const json::Member& member : place.node.members) {
    if (contains(known, member.key)) continue;
    fail(member.at, json::child(place.pointer, member.key),
         fmt::format("unknown key \"{}\" {}", member.key, json::suggestion(member.key, known, "known")));
  }
}

const std::string& Document::text(const Place& place) const {
  if (place.node.kind != Node::Kind::text || place.node.text.empty()) {
    fail(place,
         "expected a string; found " + (place.node.kind == Node::Kind::text ? "an empty one" : found(place.node)));
  }
  return place.node.text;
}

std::int64_t Document::integer(const Place& place, std::int64_t least, std::int64_t most) const {
  if (place.node.kind != Node::Kind::integer || place.node.integer < least || place.node.integer > most) {
    fail(place, fmt::format("expected an integer from {} to {}; found {}", least, most, found(place.node)));
  }
  return place.node.integer;
}

Node Document::substituted(const Place& place, const Parameters& parameters) const {
  if (place.node.kind != Node::Kind::text || !place.node.text.starts_with('$')) return place.node;
  const std::string name = place.node.text.substr(1);
  const auto parameter = parameters.find(name);
  if (parameter == parameters.end()) {
    std::vector<std::string> names;
    for (const auto& [known, value] : parameters) names.push_back("$" + known);
    fail(place, fmt::format("unknown parameter \"${}\" {}", name, json::suggestion("$" + name, names, "available")));
  }
  if (parameter->second.used != nullptr) *parameter->second.used = true;
  Node value = parameter->second.value;
  value.at = place.node.at;
  return value;
}

OptionValues layer_settings(const Document& document, const Place& layer, const std::string& kind,
                            const std::vector<Option>& options, const std::vector<std::string>& besides,
                            const Parameters& parameters) {
  std::vector<std::string> known;
  OptionValues values;
  for (const Option& option : options) {
    known.push_back(option.name);
    const json::Member* member = layer.node.find(option.name);
    const std::string pointer = json::child(layer.pointer, option.name);
    if (member == nullptr) {
      if (must_be_given(option)) {
        document.fail(layer.node.at, pointer,
                      fmt::format("missing: {} needs {}: {}", kind, wanted(option), option.help));
      }
      values[option.name] = option.default_value;
      continue;
    }
    const Node value = document.substituted({member->value, pointer}, parameters);
    const auto read = std::visit(Reader(option, value), option.default_value);
    if (!read) document.fail(value.at, pointer, fmt::format("expected {}; found {}", wanted(option), found(value)));
    values[option.name] = *read;
  }
  known.insert(known.end(), besides.begin(), besides.end());
  document.require_object(layer, known);
  return values;
}

}  // namespace ddlbench::workloads
