#include "bench/config/field.h"

#include <fmt/core.h>
#include <cmath>

#include "base/join.h"
#include "base/number.h"

namespace ddlbench::bench {
namespace {

std::string with_article(const std::string& noun) {
  return (std::string("aeiou").find(noun.front()) == std::string::npos ? "a " : "an ") + noun;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}

std::string describe(const Range& range) {
  if (range.minimum && range.maximum && !range.above) {
    return fmt::format(" from {} to {}", format_number(*range.minimum), format_number(*range.maximum));
  }
  std::string text;
  if (range.minimum) text = (range.above ? " above " : " of at least ") + format_number(*range.minimum);
  if (range.maximum) {
    text += text.empty() ? "" : " and";
    text += " at most " + format_number(*range.maximum);
  }
  return text;
}

std::string listed(const std::vector<std::string>& choices) {
  return joined(choices, ", ", [](const auto& choice) { return fmt::format("\"{}\"", choice); });
}

std::string single(const Field& field) {
  switch (field.type) {
    case Field::Type::boolean:
      return "true or false";
    case Field::Type::integer:
      return "an integer" + describe(field.range);
    case Field::Type::number:
      return "a number" + describe(field.range);
    case Field::Type::text:
      if (field.file_name)
        return "a string of letters, digits, \".\", \"_\" and \"-\" that begins with a letter or digit";
      if (!field.choices.empty()) return "one of " + listed(field.choices);
      return field.takes_empty() ? "a string" : "a string that is not empty";
    case Field::Type::axes:
      return "an object of mesh axes and their sizes, such as {\"data\": 2}";
    case Field::Type::integers:
      return "a list of integers" + describe(field.range);
    case Field::Type::texts:
      return field.choices.empty() ? "a list of strings" : "a list of " + listed(field.choices);
    case Field::Type::section:
      return "an object";
    case Field::Type::kind:
      return field.wanted_kind() + " or an object with \"kind\"";
    case Field::Type::kinds:
      return "a list with at least one " + field.noun;
    case Field::Type::groups:
      return "a list of lists, each of at least two names of settings, such as [[\"global_batch\", \"learning_rate\"]]";
    case Field::Type::rules:
      return "a list of objects, each with at least one name of a setting and its value or list of values, such as "
             "[{\"strategy\": \"gpipe\", \"ranks\": [1, 8]}]";
  }
  return "";
}

}  // namespace

std::string Field::wanted_kind() const {
  return "the name of " + with_article(noun);
}

std::string Field::wanted() const {
  return single(*this) + (sweep && !of_kind ? ", or a list of them" : "");
}

bool Field::takes_empty() const {
  return may_be_empty || default_value == OptionValue(std::string());
}

Field Field::element() const {
  Field one = *this;
  one.type = type == Type::integers ? Type::integer : Type::text;
  one.default_value.reset();
  one.may_be_empty = false;
  return one;
}

const Kind* Field::find_kind(const std::string& kind) const {
  for (const auto& candidate : kinds) {
    if (candidate.name == kind) return &candidate;
  }
  return nullptr;
}

const Kind& Field::kind_named(const std::string& kind) const {
  const Kind* found = find_kind(kind);
  require(found != nullptr, "there is no {} {}", noun, kind);
  return *found;
}

const Field* find(const std::vector<Field>& fields, const std::string& name) {
  for (const auto& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::vector<std::string> names(const std::vector<Field>& fields) {
  return names_of(fields);
}
std::vector<std::string> names(const std::vector<Kind>& kinds) {
  return names_of(kinds);
}

std::string format_number(double value) {
  constexpr double exact_integers = 9007199254740992.0;
  if (std::nearbyint(value) == value && std::abs(value) < exact_integers) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return to_text(value);
}

namespace {

/// A formatter for messages and documentation.
struct MessageFormatter {
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(std::int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return format_number(d); }
  std::string operator()(const std::string& s) const { return "\"" + s + "\""; }
  std::string operator()(const std::pair<std::string, int>& axis) const {
    return fmt::format("\"{}\": {}", axis.first, axis.second);
  }
  std::string operator()(const AxisSizes& axes) const { return "{" + joined(axes, ", ", *this) + "}"; }
  std::string operator()(const Integers& list) const { return "[" + joined(list, ", ", *this) + "]"; }
  std::string operator()(const Strings& list) const { return "[" + joined(list, ", ", *this) + "]"; }
  std::string operator()(const Nested& nested) const {
    std::string text = (*this)(nested.front().kind);
    if (nested.front().options.empty()) return text;
    text = "{\"kind\": " + text;
    for (const auto& [name, value] : nested.front().options)
      text += fmt::format(", \"{}\": {}", name, to_string(value));
    return text + "}";
  }
};

/// A formatter for labels.
struct LabelFormatter : MessageFormatter {
  using MessageFormatter::operator();
  std::string operator()(const std::string& s) const { return s; }
  std::string operator()(const std::pair<std::string, int>& axis) const {
    return axis.first + std::to_string(axis.second);
  }
  std::string operator()(const AxisSizes& axes) const { return joined(axes, "x", *this); }
  std::string operator()(const Integers& list) const { return joined(list, ",", *this); }
  std::string operator()(const Strings& list) const { return joined(list, ",", *this); }
  std::string operator()(const Nested& nested) const {
    std::string text;
    for (const auto& [name, value] : nested.front().options)
      text += fmt::format("{}{}={}", text.empty() ? "(" : ",", name, short_text(value));
    return nested.front().kind + (text.empty() ? "" : text + ")");
  }
};

}  // namespace

std::string to_string(const OptionValue& value) {
  return std::visit(MessageFormatter{}, value);
}

std::string short_text(const OptionValue& value) {
  return std::visit(LabelFormatter{}, value);
}

}  // namespace ddlbench::bench
