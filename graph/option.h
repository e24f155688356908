#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ddlbench::graph {

/// Sizes of named mesh axes, in the order written.
using AxisSizes = std::vector<std::pair<std::string, int>>;

using OptionValue = std::variant<bool, std::int64_t, double, std::string, AxisSizes>;
using OptionValues = std::map<std::string, OptionValue>;

/// One setting of a strategy, model or data set: the configuration's parser, its schema and its
/// documentation are made from these.
struct Option {
  std::string name;
  OptionValue default_value;  ///< also fixes the type
  std::string help;
  double minimum = 0;                                   ///< numbers
  std::vector<std::string> choices = {};                ///< strings; empty: any
  double maximum = std::numeric_limits<double>::max();  ///< numbers
};

/// `values` with the defaults of `options` filled in. Unknown names throw ContractError: the parser refuses them first.
OptionValues with_defaults(const std::vector<Option>& options, const OptionValues& values);

template <class T>
const T& value_of(const OptionValues& values, const std::string& name) {
  return std::get<T>(values.at(name));
}

}  // namespace ddlbench::graph
