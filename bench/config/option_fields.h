#pragma once

#include <vector>

#include "base/option.h"
#include "bench/config/field.h"

namespace ddlbench::bench {

/// Returns the field that describes an option of a strategy, a model or another entry of a registry.
Field to_field(const Option& option);

/// Returns the kinds of a registry, whose entries have a name, a help and options.
template <class Entry>
std::vector<Kind> kinds_of(const std::vector<Entry>& entries) {
  std::vector<Kind> kinds;
  for (const Entry& entry : entries) {
    Kind& kind = kinds.emplace_back(Kind{entry.name, entry.help, {}});
    for (const Option& option : entry.options) kind.fields.push_back(to_field(option));
  }
  return kinds;
}

}  // namespace ddlbench::bench
