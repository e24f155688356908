#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// What a shell offers for a value.
struct ValueWords {
  bool files = false;
  bool folders = false;
  bool comma_separated = false;
  bool unfinished = false;  ///< more is to follow a word, so no blank does
  std::vector<std::string> words;
};

/// Of a value by the name that --help has for it: files for FILE, those of this build for MODEL, the words themselves
/// for "bash|zsh", nothing for N. Throws ContractError for a name that it does not know.
ValueWords words_of_value(const std::string& name);

}  // namespace ddlbench::bench
