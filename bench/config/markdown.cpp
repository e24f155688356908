#include "bench/config/schema.h"

#include <fmt/core.h>

#include "bench/records/markdown.h"

namespace ddlbench::bench {
namespace {

std::string default_cell(const Field& field) {
  if (field.required) return "required";
  return field.default_value ? "`" + to_string(*field.default_value) + "`" : "";
}

std::string row(const std::string& pointer, const Field& field) {
  return fmt::format("| `{}` | {} | {} | {} |\n", pointer, markdown_cell(field.wanted()),
                     markdown_cell(default_cell(field)), markdown_cell(field.help));
}

const char* const header = "| setting | value | default | |\n| --- | --- | --- | --- |\n";

void settings(const Field& field, const std::string& pointer, std::string& text) {
  if (!pointer.empty() && field.type != Field::Type::section) text += row(pointer, field);
  for (const auto& inner : field.fields) settings(inner, fmt::format("{}/{}", pointer, inner.name), text);
}

void kinds(const Field& field, const std::string& pointer, std::string& text) {
  for (const auto& inner : field.fields) kinds(inner, fmt::format("{}/{}", pointer, inner.name), text);
  if (field.kinds.empty()) return;
  text += "\n### Kinds of `" + pointer + "`\n";
  for (const auto& kind : field.kinds) {
    text += fmt::format("\n**`{}`**: {}\n", kind.name, kind.help);
    if (!kind.fields.empty()) text += std::string("\n") + header;
    for (const auto& inner : kind.fields) text += row(inner.name, inner);
  }
}

}  // namespace

std::string markdown(const Field& table) {
  std::string text = header;
  settings(table, "", text);
  kinds(table, "", text);
  return text;
}

}  // namespace ddlbench::bench
