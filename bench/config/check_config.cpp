#include "bench/config/check_config.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/names.h"
#include "bench/config/resolve.h"
#include "json/literal.h"
#include "json/pointer.h"
#include "json/suggest.h"

namespace ddlbench::bench {
namespace {

using Kinds = json::Node::Kind;

constexpr std::size_t max_shown_length = 40;
// Each case keeps the texts and lists that tell it from others.
constexpr std::size_t longest_text = 4096;  ///< in bytes; paths are the longest
constexpr std::size_t longest_list = 10000;
constexpr std::size_t most_rules = 1000;  ///< which are compared with each case

std::string quoted(const std::string& text) {
  std::size_t end = std::min(text.size(), max_shown_length);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;  // whole characters
  return nlohmann::json(text.substr(0, end) + (end < text.size() ? "…" : "")).dump();
}

std::string found(const json::Node& node) {
  switch (node.kind) {
    case Kinds::null:
      return "null";
    case Kinds::boolean:
      return node.boolean ? "true" : "false";
    case Kinds::integer:
      return std::to_string(node.integer);
    case Kinds::number:
      return node.text.size() <= max_shown_length ? node.text : format_number(node.number);
    case Kinds::text:
      return "the string " + quoted(node.text);
    case Kinds::list:
      return node.elements.empty() ? "an empty list" : "a list";
    case Kinds::object:
      return "an object";
  }
  return "";
}

bool is_number(const json::Node& node) {
  return node.kind == Kinds::integer || node.kind == Kinds::number;
}

bool within(double value, const Range& range) {
  if (range.minimum && (value < *range.minimum || (range.above && value == *range.minimum))) return false;
  return !range.maximum || value <= *range.maximum;
}

/// Returns whether `node` is an integer. As in JSON Schema, 64.0 is one, up to ±2⁵³, beyond which doubles skip
/// integers. -0.0 is not.
bool is_integer(const json::Node& node) {
  constexpr double exact = 9007199254740992.0;
  return node.kind == Kinds::integer ||
         (node.kind == Kinds::number && json::is_integral(node.text) && std::abs(node.number) <= exact);
}

bool is_file_name(const std::string& text) {
  const auto alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && alphanumeric(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return alphanumeric(c) || c == '.' || c == '_' || c == '-';
  });
}

/// Returns, as JSON, the list that a single value or a comma-separated text most likely stands for. Empty if there is
/// no plausible one.
std::string as_list(const json::Node& node, const Field& field) {
  const bool wants_texts = field.type == Field::Type::texts;
  if (!wants_texts && is_number(node)) return "[" + found(node) + "]";
  if (node.kind != Kinds::text) return "";
  nlohmann::json list = nlohmann::json::array();
  std::istringstream parts(node.text == "none" ? "" : node.text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::erase_if(part, [](char c) { return c == ' ' || c == '[' || c == ']'; });
    if (wants_texts) {
      const auto& known = field.choices;
      if (!known.empty() && std::find(known.begin(), known.end(), part) == known.end()) return "";
      list.push_back(part);
      continue;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{} || end != part.data() + part.size()) return "";
    list.push_back(number);
  }
  const std::string text = list.dump();
  return text.size() <= max_shown_length ? text : "";
}

class Checker {
 public:
  explicit Checker(std::vector<json::Problem>& problems) : problems_(problems) {}

  void value(const json::Node& node, const Field& field, const std::string& pointer) {
    if (is_list_of(node, field)) {
      sweep(node, field, pointer);
    } else if (field.type == Field::Type::section) {
      if (node.kind == Kinds::object)
        object(node, field.fields, pointer, "");
      else
        mismatch(node, field, pointer);
    } else if (field.type == Field::Type::kind) {
      kind(node, field, pointer);
    } else if (field.type == Field::Type::kinds) {
      if (node.kind != Kinds::list || node.elements.empty()) return mismatch(node, field, pointer);
      for (std::size_t i = 0; i < node.elements.size(); ++i) kind(node.elements[i], field, json::child(pointer, i));
    } else if (field.type == Field::Type::axes) {
      axes(node, field, pointer);
    } else if (field.type == Field::Type::groups) {
      groups(node, field, pointer);
    } else if (field.type == Field::Type::rules) {
      rules(node, field, pointer);
    } else if (field.is_list()) {
      list(node, field, pointer);
    } else {
      scalar(node, field, pointer);
    }
  }

 private:
  void report(json::Location at, const std::string& pointer, std::string what) {
    problems_.push_back({at, pointer, std::move(what)});
  }

  void mismatch(const json::Node& node, const Field& field, const std::string& pointer) {
    report(node.at, pointer, fmt::format("expected {}; found {}", field.wanted(), found(node)));
  }

  void scalar(const json::Node& node, const Field& field, const std::string& pointer) {
    bool fits = false;
    switch (field.type) {
      case Field::Type::boolean:
        fits = node.kind == Kinds::boolean;
        break;
      case Field::Type::integer:
        fits = is_integer(node) && within(node.number, field.range);
        break;
      case Field::Type::number:
        fits = is_number(node) && within(node.number, field.range);
        break;
      default:
        fits = node.kind == Kinds::text && (!node.text.empty() || field.takes_empty()) &&
               (!field.file_name || is_file_name(node.text));
    }
    if (!fits) return mismatch(node, field, pointer);
    if (node.text.find('\0') != std::string::npos) {
      return report(node.at, pointer, "contains the character U+0000, at which the system would cut the text off");
    }
    if (node.text.size() > longest_text) {
      return report(node.at, pointer, fmt::format("is longer than the {} bytes that a text may have", longest_text));
    }
    if (field.type != Field::Type::text || field.choices.empty()) return;
    if (std::find(field.choices.begin(), field.choices.end(), node.text) != field.choices.end()) return;
    report(
        node.at, pointer,
        fmt::format("unknown value {} {}", quoted(node.text), json::suggestion(node.text, field.choices, "available")));
  }

  void sweep(const json::Node& node, const Field& field, const std::string& pointer) {
    if (node.elements.empty()) return mismatch(node, field, pointer);
    Field one = field;
    one.sweep = false;
    std::set<double> numbers;
    std::set<std::string> texts;
    std::set<bool> booleans;
    for (std::size_t i = 0; i < node.elements.size(); ++i) {
      const json::Node& element = node.elements[i];
      value(element, one, json::child(pointer, i));
      const bool repeats = is_number(element)               ? !numbers.insert(element.number).second
                           : element.kind == Kinds::text    ? !texts.insert(element.text).second
                           : element.kind == Kinds::boolean ? !booleans.insert(element.boolean).second
                                                            : false;
      if (repeats) report(element.at, json::child(pointer, i), "occurs twice in this list: " + found(element));
    }
  }

  void list(const json::Node& node, const Field& field, const std::string& pointer) {
    if (node.kind != Kinds::list) {
      const std::string meant = as_list(node, field);
      return report(
          node.at, pointer,
          fmt::format("expected {}; found {}{}", field.wanted(), found(node), meant.empty() ? "" : ": write " + meant));
    }
    if (node.elements.size() > longest_list) {
      return report(
          node.at, pointer,
          fmt::format("has {} values, more than the {} that a list may have", node.elements.size(), longest_list));
    }
    const Field one = field.element();
    std::set<std::string> texts;
    for (std::size_t i = 0; i < node.elements.size(); ++i) {
      const json::Node& element = node.elements[i];
      scalar(element, one, json::child(pointer, i));
      if (element.kind == Kinds::text && !texts.insert(element.text).second)
        report(element.at, json::child(pointer, i), "occurs twice in this list: " + found(element));
    }
  }

  void groups(const json::Node& node, const Field& field, const std::string& pointer) {
    if (node.kind != Kinds::list) return mismatch(node, field, pointer);
    Field names;
    names.type = Field::Type::texts;
    for (std::size_t i = 0; i < node.elements.size(); ++i) {
      const json::Node& group = node.elements[i];
      if (group.kind != Kinds::list || group.elements.size() < 2) {
        report(group.at, json::child(pointer, i), "expected a list of at least two names; found " + found(group));
      } else {
        list(group, names, json::child(pointer, i));
      }
    }
  }

  void rules(const json::Node& node, const Field& field, const std::string& pointer) {
    if (node.kind != Kinds::list) return mismatch(node, field, pointer);
    if (node.elements.size() > most_rules) {
      return report(node.at, pointer,
                    fmt::format("has {} rules, more than the {} that it may have", node.elements.size(), most_rules));
    }
    for (std::size_t i = 0; i < node.elements.size(); ++i) {
      const json::Node& rule = node.elements[i];
      const std::string at = json::child(pointer, i);
      if (rule.kind != Kinds::object || rule.members.empty()) {
        report(rule.at, at, "expected an object with at least one name of a setting; found " + found(rule));
        continue;
      }
      for (const json::Member& member : rule.members) {
        const json::Node& value = member.value;
        if (value.kind == Kinds::null || (value.kind == Kinds::list && value.elements.empty()))
          report(value.at, json::child(at, member.key), "expected a value or a list of values; found " + found(value));
      }
    }
  }

  void axes(const json::Node& node, const Field& field, const std::string& pointer) {
    if (node.kind != Kinds::object) return mismatch(node, field, pointer);
    Field size;
    size.type = Field::Type::integer;
    size.range = field.range;
    for (const auto& [axis, at, value] : node.members) {
      const auto& known = field.choices;
      if (!known.empty() && std::find(known.begin(), known.end(), axis) == known.end()) {
        report(at, json::child(pointer, axis),
               fmt::format("unknown mesh axis {} {}", quoted(axis), json::suggestion(axis, known, "available")));
      } else {
        scalar(value, size, json::child(pointer, axis));
      }
    }
  }

  void kind(const json::Node& node, const Field& field, const std::string& pointer) {
    const bool is_object = node.kind == Kinds::object;
    if (!is_object && node.kind != Kinds::text) {
      return report(node.at, pointer,
                    fmt::format("expected {} or an object with \"kind\"; found {}", field.wanted_kind(), found(node)));
    }
    const json::Member* named = is_object ? node.find("kind") : nullptr;
    const std::string name_pointer = is_object ? json::child(pointer, "kind") : pointer;
    if (is_object && named == nullptr) return without_kind(node, field, pointer);
    const json::Node& name = is_object ? named->value : node;
    if (name.kind != Kinds::text) {
      return report(name.at, name_pointer, fmt::format("expected {}; found {}", field.wanted_kind(), found(name)));
    }
    const Kind* chosen = field.find_kind(name.text);
    if (chosen == nullptr) {
      return report(name.at, name_pointer,
                    fmt::format("unknown {} {} {}", field.noun, quoted(name.text),
                                json::suggestion(name.text, names(field.kinds), "available")));
    }
    object(node, chosen->fields, pointer, "kind");
  }

  /// Reports a missing "kind". Without it the allowed settings are unknown. A key close to "kind" is most likely a
  /// misspelling of it.
  void without_kind(const json::Node& node, const Field& field, const std::string& pointer) {
    for (const auto& member : node.members) {
      if (nearest(member.key, {"kind"}).empty()) continue;
      return report(member.at, json::child(pointer, member.key),
                    "unknown key " + quoted(member.key) + " (did you mean \"kind\"?)");
    }
    report(node.at, json::child(pointer, "kind"), "missing: expected " + field.wanted_kind());
  }

  /// Checks the members of an object, which may also have the key `besides`. A string stands for an empty object.
  void object(const json::Node& node, const std::vector<Field>& fields, const std::string& pointer,
              const std::string& extra_key) {
    std::vector<std::string> absent;
    for (const auto& field : fields) {
      if (node.find(field.name) == nullptr) absent.push_back(field.name);
    }
    std::vector<std::string> meant;
    for (const auto& member : node.members) {
      if (!extra_key.empty() && member.key == extra_key) continue;
      if (const Field* field = find(fields, member.key)) {
        value(member.value, *field, json::child(pointer, member.key));
        continue;
      }
      std::string hint = nearest(member.key, absent);
      if (hint.empty()) {
        auto known = names(fields);
        hint = known.empty() ? "(it has no settings)" : json::suggestion(member.key, known, "known");
      } else {
        meant.push_back(hint);
        hint = "(did you mean \"" + hint + "\"?)";
      }
      report(member.at, json::child(pointer, member.key), fmt::format("unknown key {} {}", quoted(member.key), hint));
    }
    exclusive(node, fields, pointer, absent);
    for (const auto& field : fields) {
      const bool is_absent = std::find(absent.begin(), absent.end(), field.name) != absent.end();
      const bool is_misspelt = std::find(meant.begin(), meant.end(), field.name) != meant.end();
      if (is_absent && !is_misspelt) missing(node, field, json::child(pointer, field.name));
    }
  }

  /// Removes from `absent` the settings that another one replaces. Reports those of which both are there.
  void exclusive(const json::Node& node, const std::vector<Field>& fields, const std::string& pointer,
                 std::vector<std::string>& absent) {
    for (const Field& field : fields) {
      const json::Member* other = field.instead_of.empty() ? nullptr : node.find(field.name);
      if (other == nullptr) continue;
      if (std::erase(absent, field.instead_of) == 0)
        report(other->at, json::child(pointer, field.name), "excludes " + field.instead_of + ": leave one of them out");
    }
  }

  void missing(const json::Node& parent, const Field& field, const std::string& pointer) {
    if (field.required) {
      report(parent.at, pointer, "missing: expected " + field.wanted());
    } else if (field.type == Field::Type::section) {
      json::Node empty;
      empty.kind = Kinds::object;
      empty.at = parent.at;
      object(empty, field.fields, pointer, "");
    }
  }

  std::vector<json::Problem>& problems_;
};

}  // namespace

void check_config(const json::Node& document, const Field& table, std::vector<json::Problem>& problems) {
  Checker(problems).value(document, table, "");
}

std::string kind_named_by(const json::Node& node) {
  if (node.kind == json::Node::Kind::text) return node.text;
  const json::Member* kind = node.find("kind");
  return kind != nullptr && kind->value.kind == json::Node::Kind::text ? kind->value.text : "";
}

}  // namespace ddlbench::bench
