#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ddlbench {

/// The numbers that are allowed, bounds included unless said.
struct Range {
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool above = false;  ///< the minimum itself is not allowed
};

/// Sizes of named mesh axes, in the order written.
using AxisSizes = std::vector<std::pair<std::string, int>>;

using Integers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

struct Choice;
/// A `{kind, …}` as a value: exactly one. (A variant wants whole types, and a Choice holds OptionValues.)
using Nested = std::vector<Choice>;

using OptionValue = std::variant<bool, std::int64_t, double, std::string, AxisSizes, Integers, Strings, Nested>;
using OptionValues = std::map<std::string, OptionValue>;

/// A kind of something, and its settings.
struct Choice {
  std::string kind;
  OptionValues options;
  bool operator==(const Choice&) const = default;
};

struct Option;

/// What a Nested can be: a name and the settings that it brings.
struct OptionKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
};

/// One setting of a strategy, a model, a data set, an optimizer and so on: the configuration's parser, its schema and
/// its documentation are made from these.
struct Option {
  std::string name;
  OptionValue default_value;  ///< also fixes the type
  std::string help;
  double minimum = 0;                                   ///< of numbers, and of each in a list
  std::vector<std::string> choices = {};                ///< of strings, and of each in a list; empty: any
  double maximum = std::numeric_limits<double>::max();  ///< as the minimum
  std::vector<OptionKind> kinds = {};                   ///< of a Nested
  bool above = false;                                   ///< the minimum itself is not allowed
  bool required = false;                                ///< it has no default
};

/// What is wrong with options that are each allowed: the one that a person has to mend, and "looks ahead along …".
struct OptionProblem {
  std::string option;
  std::string what;
};

/// `values` with the defaults of `options` filled in, and those of nested choices in these. Unknown names throw
/// ContractError: the parser refuses them first.
OptionValues with_defaults(const std::vector<Option>& options, const OptionValues& values);

template <class T>
const T& value_of(const OptionValues& values, const std::string& name) {
  return std::get<T>(values.at(name));
}

}  // namespace ddlbench
