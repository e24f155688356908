#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/config/field.h"

namespace ddlbench::bench {

/// The settings of a resolved configuration that may be lists, and their names: the last part of their JSON pointers.
class SweepNames {
 public:
  struct List {
    std::string pointer;  ///< of what was written: "/strategies/2/microbatches"
    std::size_t size = 0;
  };

  SweepNames(const nlohmann::ordered_json& resolved, const Field& table);

  /// Returns the setting's JSON pointer (see AxisValue). `name` is its name or that pointer. Throws InputError if there
  /// is no such setting, or if several have this name and not exactly one of them is a list.
  std::string setting(const std::string& name) const;
  /// Returns the lists that were written for it: several if models or strategies have their own.
  const std::vector<List>& lists_of(const std::string& setting) const { return lists_.at(setting); }

 private:
  void add(const std::string& setting, const std::string& pointer, std::size_t size);

  std::map<std::string, std::vector<List>> lists_;            ///< by setting
  std::map<std::string, std::vector<std::string>> settings_;  ///< by name
};

}  // namespace ddlbench::bench
