#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "../config/source_root.h"
#include "bench/command/main_command.h"

/// Runs the command in the process of a test.
namespace ddlbench::bench {

struct Result {
  int code = 0;
  std::string out, err;
};

inline Result command(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"ddlbench"};
  for (const auto& word : words) argv.push_back(word.c_str());
  std::ostringstream out, err;
  const int code = main_command(static_cast<int>(argv.size()), argv.data(), out, err);
  return {code, out.str(), err.str()};
}

inline std::string config(const std::string& name) {
  return (source_root() / "configs" / name).string();
}

inline const std::string mlp = config("synthetic-mlp.json");

}  // namespace ddlbench::bench
