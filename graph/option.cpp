#include "graph/option.h"

#include "graph/error.h"

namespace ddlbench::graph {

OptionValues with_defaults(const std::vector<Option>& options, const OptionValues& values) {
  OptionValues all;
  for (const Option& option : options) all[option.name] = option.default_value;
  for (const auto& [name, value] : values) {
    const auto known = all.find(name);
    require(known != all.end() && known->second.index() == value.index(),
            "option '" + name + "' is unknown or of another type");
    known->second = value;
  }
  return all;
}

}  // namespace ddlbench::graph
