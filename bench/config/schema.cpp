#include "bench/config/schema.h"

#include "bench/config/resolve.h"
#include "graph/error.h"

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

class Writer {
 public:
  Json schema_of(const Field& field);
  const Json& definitions() const { return definitions_; }

 private:
  Json closed_object(const std::vector<Field>& fields, const Kind* kind);
  Json section(const Field& field);
  Json choice(const Field& field);
  Json single(const Field& field);
  Json one_or_list(const Field& field, Json schema);

  Json definitions_ = Json::object();
};

Json Writer::closed_object(const std::vector<Field>& fields, const Kind* kind) {
  Json properties = Json::object();
  Json required = Json::array();
  if (kind != nullptr) {
    properties["kind"] = {{"const", kind->name}};
    required.push_back("kind");
  }
  for (const auto& field : fields) {
    properties[field.name] = schema_of(field);
    if (field.required) required.push_back(field.name);
  }
  Json object{{"type", "object"}, {"properties", properties}};
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

/// A section that holds something required is required itself.
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
      if (field.number_list) schema["pattern"] = "^([0-9]{1,6}(,[0-9]{1,6})*)?$";
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
  }
  return schema;
}

/// What stands both alone and in a list is written once, and named by both.
Json Writer::one_or_list(const Field& field, Json schema) {
  if (field.type == Field::Type::kind || field.type == Field::Type::section) {
    require(!definitions_.contains(field.name) || definitions_[field.name] == schema,
            "fields of one name are defined alike: " + field.name);
    definitions_[field.name] = schema;
    schema = {{"$ref", "#/$defs/" + field.name}};
  }
  const Json list{{"type", "array"}, {"items", schema}, {"minItems", 1}, {"uniqueItems", true}};
  return {{"anyOf", {schema, list}}};
}

Json Writer::schema_of(const Field& field) {
  Json schema = single(field);
  if (field.sweep) schema = one_or_list(field, std::move(schema));
  schema["description"] = field.help;
  if (field.default_value) schema["default"] = to_json(*field.default_value);
  return schema;
}

}  // namespace

nlohmann::ordered_json schema(const Field& table) {
  Json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "ddlbench experiment"}};
  Writer writer;
  whole.update(writer.schema_of(table));
  if (!writer.definitions().empty()) whole["$defs"] = writer.definitions();
  return whole;
}

}  // namespace ddlbench::bench
