#include "workloads/models/layers/layer_names.h"

#include <fmt/core.h>
#include <map>
#include <set>

namespace ddlbench::workloads {
namespace {

/// Returns the text of a member; empty if there is none.
std::string text_of(const json::Node& layer, const char* key) {
  const json::Member* member = layer.find(key);
  return member != nullptr ? member->value.text : "";
}

std::string kind_or_block(const json::Node& layer) {
  const std::string block = text_of(layer, "block");
  return block.empty() ? text_of(layer, "kind") : block;
}

}  // namespace

std::vector<std::string> layer_names(const json::Node& list) {
  std::set<std::string> taken{block_input};
  std::map<std::string, int> unnamed;  ///< layers without a name, by what they are called
  for (const json::Node& layer : list.elements) {
    if (layer.find("name") != nullptr) {
      taken.insert(text_of(layer, "name"));
    } else {
      ++unnamed[kind_or_block(layer)];
    }
  }
  std::vector<std::string> names;
  std::map<std::string, int> numbers;  ///< the last number that was used, by what the layers are called
  for (const json::Node& layer : list.elements) {
    if (layer.find("name") != nullptr) {
      names.push_back(text_of(layer, "name"));
      continue;
    }
    const std::string what = kind_or_block(layer);
    std::string name = what;
    while (taken.contains(name) || (name == what && unnamed[what] > 1))
      name = fmt::format("{}_{}", what, ++numbers[what]);
    taken.insert(name);
    names.push_back(name);
  }
  return names;
}

}  // namespace ddlbench::workloads
