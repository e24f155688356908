#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ddlbench {

/// A range of allowed numbers, including its bounds unless `above` is set.
struct Range {
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool above = false;  ///< the minimum itself is not allowed
};

/// Sizes of named mesh axes, in the order in which they were written.
using AxisSizes = std::vector<std::pair<std::string, int>>;

using Integers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

struct Choice;
/// A value of the form `{kind, …}`: a list of exactly one Choice. (It is a vector because a variant needs complete
/// types, and a Choice contains OptionValues.)
using Nested = std::vector<Choice>;

using OptionValue = std::variant<bool, std::int64_t, double, std::string, AxisSizes, Integers, Strings, Nested>;
using OptionValues = std::map<std::string, OptionValue>;

/// The chosen kind of something, and its settings.
struct Choice {
  std::string kind;
  OptionValues options;
  bool operator==(const Choice&) const = default;
};

struct Option;

/// One kind that a Nested option can have: its name and its own settings.
struct OptionKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
};

/// One setting of a strategy, a model, a data set, an optimizer and so on. The parser of the configuration, its schema
/// and its documentation are generated from these.
struct Option {
  std::string name;
  OptionValue default_value;  ///< also determines the type
  std::string help;
  double minimum = 0;                                   ///< for numbers, and for each number of a list
  std::vector<std::string> choices = {};                ///< for strings, and for each string of a list; empty: any
  double maximum = std::numeric_limits<double>::max();  ///< for the same values as the minimum
  std::vector<OptionKind> kinds = {};                   ///< for a Nested option
  bool above = false;                                   ///< the minimum itself is not allowed
  bool required = false;                                ///< the option has no default
};

/// A conflict between options that are each allowed: the option that the user has to change, and a text such as "looks
/// ahead along …".
struct OptionProblem {
  std::string option;
  std::string what;
};

/// Returns `values` completed by the defaults of `options`, including those of nested choices. Throws ContractError for
/// unknown names: the parser has already rejected them.
OptionValues with_defaults(const std::vector<Option>& options, const OptionValues& values);

template <class T>
const T& value_of(const OptionValues& values, const std::string& name) {
  return std::get<T>(values.at(name));
}

}  // namespace ddlbench
