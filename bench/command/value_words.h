#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// The completions that a shell offers for a value.
struct ValueWords {
  bool files = false;
  bool folders = false;
  bool comma_separated = false;
  bool unfinished = false;  ///< the user continues the word, so no space follows it
  std::vector<std::string> words;
};

/// Returns the completions for a value with this name in --help: files for FILE, the models of this build for MODEL,
/// the words themselves for "bash|zsh", none for N. Throws ContractError if the name is unknown.
ValueWords words_of_value(const std::string& name);

}  // namespace ddlbench::bench
