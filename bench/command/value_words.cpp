#include "bench/command/value_words.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/error.h"
#include "bench/config/fields.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

/// Returns "/training/epochs=" and so on for each setting below `fields`, once, without those inside lists.
void add_pointers(const std::vector<Field>& fields, const std::string& parent, std::vector<std::string>& words) {
  for (const Field& field : fields) {
    const std::string pointer = json::child(parent, field.name);
    if (field.type != Field::Type::section && std::find(words.begin(), words.end(), pointer + "=") == words.end()) {
      words.push_back(pointer + "=");
    }
    add_pointers(field.fields, pointer, words);
    if (field.type != Field::Type::kind) continue;
    for (const Kind& kind : field.kinds) add_pointers(kind.fields, pointer, words);
  }
}

std::vector<std::string> split(const std::string& alternatives) {
  std::vector<std::string> words;
  std::istringstream in(alternatives);
  for (std::string word; std::getline(in, word, '|');) words.push_back(word);
  return words;
}

}  // namespace

ValueWords words_of_value(const std::string& name) {
  ValueWords value;
  if (name == "FILE") {
    value.files = true;
  } else if (name == "DIR") {
    value.folders = true;
  } else if (name == "MODEL") {
    value.files = true;
    value.words = names_of(real_registries().models);
  } else if (name == "DEVICE[,DEVICE]") {
    value.comma_separated = true;
    value.words = names_of(kernels::device_kinds());
  } else if (name == "REGEX") {
    value.words = names_of(real_registries().strategies);
  } else if (name == "/POINTER=VALUE") {
    value.unfinished = true;
    add_pointers(experiment_fields(real_registries()).fields, "", value.words);
  } else if (name.find('|') != std::string::npos || name == "failed") {
    value.words = split(name);
  } else {
    constexpr std::array free{"N",       "SIZES", "NAME=VALUE", "KIND", "FLOPS,BYTES_PER_SECOND",
                              "PERCENT", "NAME",  "TIME",       "SIZE", "OPTION",
                              "COMMAND", "I/N"};
    if (std::find(free.begin(), free.end(), name) == free.end()) {
      throw ContractError("no completion is defined for the value " + name + " of an option");
    }
  }
  return value;
}

}  // namespace ddlbench::bench
