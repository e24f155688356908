#include "bench/command/experiment_file.h"

#include <fmt/core.h>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/names.h"

namespace ddlbench::bench {
namespace {

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

void require_experiment_file(const Arguments& arguments) {
  const std::string& word = arguments.config;
  if (word.empty()) throw InputError("no experiment given: name its JSON file, as in ddlbench FILE or --config FILE");
  const bool looks_like_path = word == "-" || word.find_first_of("./") != std::string::npos;
  if (arguments.alternatives.empty() || looks_like_path || is_there(word)) return;
  std::string guess = nearest(word, arguments.alternatives);
  if (is_there(word + ".json")) guess = word + ".json";
  throw InputError(
      fmt::format("there is neither a subcommand nor a file '{}'{}; the subcommands are {}; to run an "
                  "experiment, name its JSON file",
                  word, guess.empty() ? "" : " (did you mean '" + guess + "'?)", joined(arguments.alternatives)));
}

}  // namespace ddlbench::bench
