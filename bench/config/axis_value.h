#pragma once

#include <cstddef>
#include <string>

namespace ddlbench::bench {

/// What was chosen from a list of values of one setting.
struct AxisValue {
  std::string
      setting;  ///< JSON pointer in an experiment without lists: "/training/precision", "/strategy/microbatches"
  std::string pointer;  ///< of the chosen element: "/workload/1/model/2"
  std::size_t index = 0;
  std::size_t count = 1;  ///< length of the list
  std::string text;       ///< "bf16", "workers=4"; empty if it is the only value, or a workload
};

}  // namespace ddlbench::bench
