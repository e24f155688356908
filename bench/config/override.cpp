#include "bench/config/override.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>

#include "bench/config/check_config.h"
#include "json/pointer.h"
#include "json/read.h"

namespace ddlbench::bench {
namespace {

json::Node value_of(const std::string& text, const std::string& pointer, json::Location at,
                    std::vector<json::Problem>& problems) {
  std::vector<json::Problem> found;
  if (auto value = json::read(text, found, at)) {
    for (auto& problem : found) problems.push_back({problem.at, pointer + problem.pointer, problem.what});
    return *std::move(value);
  }
  json::Node value;
  value.kind = json::Node::Kind::text;
  value.at = at;
  value.text = text;
  return value;
}

void name_to_object(json::Node& node) {
  json::Node name = node;
  node = {};
  node.kind = json::Node::Kind::object;
  node.at = name.at;
  node.members.push_back({"kind", name.at, std::move(name)});
}

/// Returns the element of `list` that `token` selects; "-" appends one. Throws InputError if there is none.
json::Node& element(json::Node& list, const std::string& token) {
  if (token == "-") return list.elements.emplace_back();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_number = error == std::errc{} && end == token.data() + token.size();
  if (is_number && index < list.elements.size()) return list.elements[index];
  throw InputError(fmt::format("the list has {} entries, counted from 0, and \"-\" appends one; there is no \"{}\"",
                               list.elements.size(), token));
}

/// Returns the field of the value that `token` leads to; nullptr if the table has none.
const Field* next(const Field* field, const json::Node& node, const std::string& token) {
  if (field == nullptr || node.kind == json::Node::Kind::list) return field;
  if (field->type == Field::Type::section) return find(field->fields, token);
  const Kind* kind = field->find_kind(kind_named_by(node));
  return kind == nullptr ? nullptr : find(kind->fields, token);
}

json::Node& inside(json::Node& node, const Field* field, const std::string& token, json::Location at) {
  const bool is_choice = field != nullptr && (field->type == Field::Type::kind || field->type == Field::Type::kinds);
  if (node.kind == json::Node::Kind::null) {
    node.kind = token == "-" ? json::Node::Kind::list : json::Node::Kind::object;
    node.at = at;
  }
  if (node.kind == json::Node::Kind::text && is_choice) name_to_object(node);
  if (node.kind == json::Node::Kind::list) return element(node, token);
  if (node.kind != json::Node::Kind::object)
    throw InputError("it is a single value: there is no \"" + token + "\" inside");
  if (json::Member* member = node.find(token)) return member->value;
  return node.members.emplace_back(json::Member{token, at, {}}).value;
}

}  // namespace

void apply_override(json::Node& document, const Field& table, const std::string& argument, int number,
                    std::vector<json::Problem>& problems) {
  const json::Location at{number, 1, 1};
  const auto equals = argument.find('=');
  const std::string pointer = argument.substr(0, equals);
  if (!json::is_utf8(argument)) {
    problems.push_back({at, "", "is not UTF-8 text"});
    return;
  }
  if (equals == std::string::npos || pointer.empty()) {
    problems.push_back({at, "", "expected /POINTER=VALUE"});
    return;
  }
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto before = argument.begin() + static_cast<std::ptrdiff_t>(equals);
  const json::Location value_at{number, 1, static_cast<int>(std::count_if(argument.begin(), before, is_character)) + 2};
  std::string path;
  try {
    json::Node* node = &document;
    const Field* field = &table;
    for (const auto& token : json::split_pointer(pointer)) {
      json::Node& found = inside(*node, field, token, at);
      field = next(field, *node, token);
      node = &found;
      path = json::child(path, token);
    }
    *node = value_of(argument.substr(equals + 1), pointer, value_at, problems);
  } catch (const InputError& error) {
    problems.push_back({at, path.empty() ? pointer : path, error.what()});
  }
}

}  // namespace ddlbench::bench
