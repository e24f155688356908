#include "bench/config/schema.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "bench/config/resolve.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

Json number_of(double value, Field::Type type) {
  if (type == Field::Type::number) return value;
  return static_cast<std::int64_t>(value);
}

void add_range(Json& schema, const Range& range, Field::Type type) {
  if (range.minimum) schema[range.above ? "exclusiveMinimum" : "minimum"] = number_of(*range.minimum, type);
  if (range.maximum) schema["maximum"] = number_of(*range.maximum, type);
}

/// A writer of the schema. A setting that several kinds share, apart from its default, is defined once and referenced
/// by each.
class Writer {
 public:
  explicit Writer(const Field& table) { count(table); }
  Json schema_of(const Field& field);
  const Json& definitions() const { return definitions_; }

 private:
  Writer() = default;
  void count(const Field& field);
  Json closed_object(const std::vector<Field>& fields, const Kind* kind);
  Json section(const Field& field);
  Json choice(const Field& field);
  Json single(const Field& field);
  Json one_or_list(const Field& field, Json schema);
  Json without_default(const Field& field);
  Json setting_of_kind(const Field& field);
  Json defined(const std::string& name, const Json& schema);
  static std::string inline_schema(const Field& field);

  std::map<std::pair<std::string, std::string>, int> uses_;  ///< number of kinds that have a setting, by its name and
                                                             ///< schema
  Json definitions_ = Json::object();
};

/// Returns the schema of a setting without references, which tells equal settings whatever was defined so far.
std::string Writer::inline_schema(const Field& field) {
  return Writer().without_default(field).dump();
}

void Writer::count(const Field& field) {
  for (const Field& inner : field.fields) count(inner);
  for (const Kind& kind : field.kinds) {
    for (const Field& setting : kind.fields) {
      count(setting);
      ++uses_[{setting.name, inline_schema(setting)}];
    }
  }
}

/// Defines `schema` as `name`, or as the name with a number if another schema has it. Returns a reference to it.
Json Writer::defined(const std::string& name, const Json& schema) {
  std::string key = name;
  for (int number = 2; definitions_.contains(key) && definitions_[key] != schema; ++number)
    key = fmt::format("{}_{}", name, number);
  definitions_[key] = schema;
  return {{"$ref", "#/$defs/" + key}};
}

Json Writer::setting_of_kind(const Field& field) {
  Json schema = without_default(field);
  if (uses_[{field.name, inline_schema(field)}] > 1) schema = defined(field.name, schema);
  if (field.default_value) schema["default"] = to_json(*field.default_value);
  return schema;
}

Json Writer::closed_object(const std::vector<Field>& fields, const Kind* kind) {
  Json properties = Json::object();
  Json required = Json::array();
  if (kind != nullptr) {
    properties["kind"] = {{"const", kind->name}};
    required.push_back("kind");
  }
  for (const auto& field : fields) {
    properties[field.name] = kind == nullptr ? schema_of(field) : setting_of_kind(field);
    if (field.required) required.push_back(field.name);
  }
  Json object{{"type", "object"}, {"properties", properties}};
  for (const Field& field : fields) {
    if (field.instead_of.empty()) continue;
    required.erase(std::find(required.begin(), required.end(), Json(field.instead_of)));
    object["oneOf"] = {Json{{"required", {field.instead_of}}}, Json{{"required", {field.name}}}};
  }
  if (!required.empty()) object["required"] = required;
  object["additionalProperties"] = false;
  return object;
}

bool needs_settings(const std::vector<Field>& fields) {
  for (const auto& field : fields) {
    if (field.required || (field.type == Field::Type::section && needs_settings(field.fields))) return true;
  }
  return false;
}

/// Returns the schema of a section. A section is required if it contains something required.
Json Writer::section(const Field& field) {
  Json object = closed_object(field.fields, nullptr);
  for (const auto& inner : field.fields) {
    if (inner.type == Field::Type::section && needs_settings(inner.fields)) object["required"].push_back(inner.name);
  }
  return object;
}

Json Writer::choice(const Field& field) {
  Json bare = Json::array();
  Json alternatives = Json::array();
  for (const auto& kind : field.kinds) {
    if (!needs_settings(kind.fields)) bare.push_back(kind.name);
    Json object = closed_object(kind.fields, &kind);
    object["description"] = kind.help;
    alternatives.push_back(object);
  }
  if (!bare.empty()) alternatives.insert(alternatives.begin(), Json{{"enum", bare}});
  return {{"anyOf", alternatives}};
}

Json Writer::single(const Field& field) {
  Json schema;
  switch (field.type) {
    case Field::Type::boolean:
      schema["type"] = "boolean";
      break;
    case Field::Type::integer:
    case Field::Type::number:
      schema["type"] = field.type == Field::Type::integer ? "integer" : "number";
      add_range(schema, field.range, field.type);
      break;
    case Field::Type::text:
      schema["type"] = "string";
      if (!field.choices.empty()) schema["enum"] = field.choices;
      if (field.choices.empty() && !field.file_name && !field.takes_empty()) schema["minLength"] = 1;
      if (field.file_name) schema["pattern"] = "^[A-Za-z0-9][A-Za-z0-9._-]*$";
      break;
    case Field::Type::axes: {
      Json size{{"type", "integer"}};
      add_range(size, field.range, Field::Type::integer);
      schema = {{"type", "object"}, {"additionalProperties", size}};
      if (!field.choices.empty()) schema["propertyNames"] = {{"enum", field.choices}};
      break;
    }
    case Field::Type::integers:
    case Field::Type::texts:
      schema = {{"type", "array"}, {"items", single(field.element())}};
      if (field.type == Field::Type::texts) schema["uniqueItems"] = true;
      break;
    case Field::Type::section:
      schema = section(field);
      break;
    case Field::Type::kind:
      schema = choice(field);
      break;
    case Field::Type::kinds:
      schema = {{"type", "array"}, {"items", choice(field)}, {"minItems", 1}};
      break;
    case Field::Type::groups: {
      const Json group{{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 2}, {"uniqueItems", true}};
      schema = {{"type", "array"}, {"items", group}};
      break;
    }
    case Field::Type::rules:
      schema = {{"type", "array"}, {"items", {{"type", "object"}, {"minProperties", 1}}}};
      break;
  }
  return schema;
}

/// Returns the schema of one value or a list of them. What both need is defined once and referenced by both.
Json Writer::one_or_list(const Field& field, Json schema) {
  if (field.type == Field::Type::kind || field.type == Field::Type::section) schema = defined(field.name, schema);
  const Json list{{"type", "array"}, {"items", schema}, {"minItems", 1}, {"uniqueItems", true}};
  return {{"anyOf", {schema, list}}};
}

Json Writer::without_default(const Field& field) {
  Json schema = single(field);
  if (field.sweep) schema = one_or_list(field, std::move(schema));
  schema["description"] = field.help;
  return schema;
}

Json Writer::schema_of(const Field& field) {
  Json schema = without_default(field);
  if (field.default_value) schema["default"] = to_json(*field.default_value);
  return schema;
}

}  // namespace

nlohmann::ordered_json schema(const Field& table) {
  Json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "ddlbench experiment"}};
  Writer writer(table);
  whole.update(writer.schema_of(table));
  if (!writer.definitions().empty()) whole["$defs"] = writer.definitions();
  return whole;
}

}  // namespace ddlbench::bench
