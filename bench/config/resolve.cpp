#include "bench/config/resolve.h"

#include "base/error.h"
#include "bench/config/check_config.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

Json scalar(const json::Node& node, const Field& field) {
  switch (field.type) {
    case Field::Type::boolean:
      return node.boolean;
    case Field::Type::integer:
      return node.kind == json::Node::Kind::integer ? node.integer : static_cast<std::int64_t>(node.number);
    case Field::Type::number:
      return node.number;
    case Field::Type::text:
      return node.text;
    default:
      throw ContractError("only single values are scalars");
  }
}

Json axes(const json::Node& node) {
  Json sizes = Json::object();
  for (const auto& member : node.members) sizes[member.key] = static_cast<std::int64_t>(member.value.number);
  return sizes;
}

Json list(const json::Node& node, const Field& field) {
  Json values = Json::array();
  const Field one = field.element();
  for (const auto& element : node.elements) values.push_back(scalar(element, one));
  return values;
}

/// Returns the default of a field. The default of a kind is a name, which stands for that kind with its own defaults.
Json default_of(const Field& field) {
  if (field.type != Field::Type::kind) return to_json(*field.default_value);
  json::Node name;
  name.kind = json::Node::Kind::text;
  name.text = std::get<std::string>(*field.default_value);
  return resolve(name, field);
}

/// Returns a value as it was written.
Json as_written(const json::Node& node) {
  using Kind = json::Node::Kind;
  switch (node.kind) {
    case Kind::null:
      return nullptr;
    case Kind::boolean:
      return node.boolean;
    case Kind::integer:
      return node.integer;
    case Kind::number:
      return node.number;
    case Kind::text:
      return node.text;
    case Kind::list: {
      Json list = Json::array();
      for (const json::Node& element : node.elements) list.push_back(as_written(element));
      return list;
    }
    case Kind::object: {
      Json object = Json::object();
      for (const json::Member& member : node.members) object[member.key] = as_written(member.value);
      return object;
    }
  }
  throw ContractError("a kind of JSON value is missing here");
}

void fill(Json& object, const json::Node& node, const std::vector<Field>& fields) {
  for (const auto& field : fields) {
    if (const json::Member* member = node.find(field.name)) {
      object[field.name] = resolve(member->value, field);
    } else if (field.default_value) {
      object[field.name] = default_of(field);
    } else if (field.type == Field::Type::section) {
      Json section = resolve(json::Node{}, field);
      if (!section.empty()) object[field.name] = std::move(section);
    }
  }
}

Json kind(const json::Node& node, const Field& field) {
  const Kind* chosen = field.find_kind(kind_named_by(node));
  require(chosen != nullptr, "a configuration is resolved after it was checked");
  Json object{{"kind", chosen->name}};
  fill(object, node, chosen->fields);
  return object;
}

struct Convert {
  Json operator()(const AxisSizes& sizes) const {
    Json object = Json::object();
    for (const auto& [axis, size] : sizes) object[axis] = size;
    return object;
  }
  Json operator()(const Nested& nested) const {
    Json object{{"kind", nested.front().kind}};
    for (const auto& [name, value] : nested.front().options) object[name] = to_json(value);
    return object;
  }
  Json operator()(const auto& value) const { return value; }
};

}  // namespace

bool is_list_of(const json::Node& value, const Field& field) {
  using Kind = json::Node::Kind;
  if (!field.sweep || value.kind != Kind::list) return false;
  return !field.is_list() || (!value.elements.empty() && value.elements.front().kind == Kind::list);
}

bool is_list_of(const Json& value, const Field& field) {
  if (!field.sweep || !value.is_array()) return false;
  return !field.is_list() || (!value.empty() && value.front().is_array());
}

Json resolve(const json::Node& node, const Field& field) {
  Json value;
  if (is_list_of(node, field)) {
    Field one = field;
    one.sweep = false;
    for (const auto& element : node.elements) value.push_back(resolve(element, one));
  } else if (field.type == Field::Type::section) {
    value = Json::object();
    fill(value, node, field.fields);
  } else if (field.type == Field::Type::kind) {
    value = kind(node, field);
  } else if (field.type == Field::Type::kinds) {
    for (const auto& element : node.elements) value.push_back(kind(element, field));
  } else if (field.type == Field::Type::groups || field.type == Field::Type::rules) {
    value = as_written(node);
  } else if (field.type == Field::Type::axes) {
    value = axes(node);
  } else if (field.is_list()) {
    value = list(node, field);
  } else {
    value = scalar(node, field);
  }
  return value;
}

Json to_json(const OptionValue& value) {
  return std::visit(Convert{}, value);
}

OptionValue to_option(const Json& value, const Field& field) {
  switch (field.type) {
    case Field::Type::boolean:
      return value.get<bool>();
    case Field::Type::integer:
      return value.get<std::int64_t>();
    case Field::Type::number:
      return value.get<double>();
    case Field::Type::text:
      return value.get<std::string>();
    case Field::Type::axes: {
      AxisSizes sizes;
      for (const auto& [axis, size] : value.items()) sizes.emplace_back(axis, size.get<int>());
      return sizes;
    }
    case Field::Type::integers:
      return value.get<Integers>();
    case Field::Type::texts:
      return value.get<Strings>();
    case Field::Type::kind:
      return Nested{to_choice(value, field)};
    default:
      throw ContractError("a section or a list of kinds is not an option");
  }
}

bool is_default(const OptionValue& value, const Field& field) {
  if (field.type != Field::Type::kind) return field.default_value == value;
  return field.default_value && value == to_option(default_of(field), field);
}

Choice to_choice(const Json& value, const Field& field) {
  const Kind& kind = field.kind_named(value.at("kind").get<std::string>());
  Choice made{kind.name, {}};
  for (const Field& setting : kind.fields) {
    if (!setting.common) made.options[setting.name] = to_option(value.at(setting.name), setting);
  }
  return made;
}

}  // namespace ddlbench::bench
