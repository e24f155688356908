#include "bench/config/schema.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t line_length = 120;

/// Prints a value on one line: {"a": 1, "b": [2, 3]}.
std::string one_line(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, inner] : value.items())
    text += (text.empty() ? "" : ", ") + (value.is_array() ? "" : Json(key).dump() + ": ") + one_line(inner);
  return value.is_array() ? "[" + text + "]" : "{" + text + "}";
}

/// Returns whether a value is a scalar or a list of scalars.
bool is_plain(const Json& value) {
  if (value.is_object()) return false;
  for (const Json& inner : value)
    if (inner.is_structured()) return false;
  return true;
}

/// A printer of JSON. A value that fits on a line stays on one. An object without objects in it, such as a setting,
/// takes as few lines as possible. In other objects, plain members next to each other share lines.
class Printer {
 public:
  std::string print(const Json& value) {
    write(value, 0);
    return text_ + "\n";
  }

 private:
  void write(const Json& value, std::size_t indent) {
    const std::string line = one_line(value);
    if (!value.is_structured() || value.empty() || column() + line.size() < line_length) {
      text_ += line;
      return;
    }
    bool is_leaf = true;
    for (const Json& inner : value) is_leaf = is_leaf && is_plain(inner);
    text_ += value.is_array() ? '[' : '{';
    bool on_this_line = is_leaf, is_first = true;
    for (const auto& [key, inner] : value.items()) {
      const std::string name = value.is_array() ? "" : Json(key).dump() + ": ";
      const bool beside = on_this_line && is_plain(inner) && (is_first || fits(name + one_line(inner)));
      if (!is_first) text_ += beside ? ", " : ",";
      if (!beside) text_ += "\n" + std::string(indent + 2, ' ');
      text_ += name;
      write(inner, indent + 2);
      on_this_line = is_plain(inner);
      is_first = false;
    }
    if (!is_leaf) text_ += "\n" + std::string(indent, ' ');
    text_ += value.is_array() ? ']' : '}';
  }

  std::size_t column() const { return text_.size() - (text_.rfind('\n') + 1); }
  bool fits(const std::string& more) const { return column() + more.size() + 4 <= line_length; }

  std::string text_;
};

}  // namespace

std::string schema_text(const Field& table) {
  return Printer().print(schema(table));
}

}  // namespace ddlbench::bench
