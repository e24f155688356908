#include "bench/compare/contestant.h"

#include <unistd.h>

#include <fmt/core.h>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;

bool is_experiment(const std::string& word) {
  return word.ends_with(".json");
}

std::string program_of(const std::string& word) {
  std::error_code none;
  if (!fs::is_regular_file(word, none))
    throw InputError(word + ": no such program; name two ddlbench programs, or two experiments (*.json)");
  if (::access(word.c_str(), X_OK) != 0) throw InputError(word + ": is not a program; make it executable");
  return fs::absolute(word).string();
}

std::string experiment_of(const std::string& word) {
  std::error_code none;
  if (!fs::exists(word, none)) throw InputError(word + ": no such file");
  return word;
}

void set(LaunchCommand& command, const std::string& setting) {
  command.arguments.insert(command.arguments.end(), {"--set", setting});
}

}  // namespace

std::pair<Contestant, Contestant> contestants_of(const std::string& old_word, const std::string& new_word,
                                                 const std::string& config) {
  if (is_experiment(old_word) != is_experiment(new_word)) {
    throw InputError(fmt::format("{} and {} are a program and an experiment; name two programs, or two experiments",
                                 old_word, new_word));
  }
  if (is_experiment(old_word)) {
    if (!config.empty())
      throw InputError("--config is for two programs, but OLD and NEW are experiments; leave it out");
    const std::string own = own_program();
    return {{"OLD", own, experiment_of(old_word)}, {"NEW", own, experiment_of(new_word)}};
  }
  if (config.empty()) throw InputError("two programs need an experiment to run: add --config FILE");
  if (config == "-") throw InputError("standard input can be read only once; write the experiment to a file");
  return {{"OLD", program_of(old_word), experiment_of(config)}, {"NEW", program_of(new_word), experiment_of(config)}};
}

ContestantRuns::ContestantRuns(Contestant contestant, std::string folder, std::vector<std::string> overrides,
                               std::string filter, const StopSignals& signals)
    : contestant_(std::move(contestant)),
      folder_(std::move(folder)),
      overrides_(std::move(overrides)),
      filter_(std::move(filter)),
      signals_(signals) {
  fs::create_directories(folder_);
}

LaunchCommand ContestantRuns::command(const std::string& subcommand) const {
  LaunchCommand command;
  command.program = contestant_.program;
  command.arguments = {subcommand, "--config", contestant_.config};
  if (!filter_.empty()) command.arguments.insert(command.arguments.end(), {"--filter", filter_});
  for (const std::string& setting : overrides_) set(command, setting);
  return command;
}

bool ContestantRuns::validate() {
  const ProgramEnd end = run_program(command("validate"), folder_ + "/validate.log", signals_);
  if (end.stopped) return false;
  if (end.exit_code != 0) {
    throw InputError(fmt::format("{} ({}) cannot run {}: {}", contestant_.name, contestant_.program, contestant_.config,
                                 end.last_lines));
  }
  for (const char* setting :
       {"/measure/interleave=false", "/training/checkpoint/save=\"\"", "/training/checkpoint/resume=false"}) {
    LaunchCommand with_setting = command("validate");
    set(with_setting, setting);
    const ProgramEnd asked = run_program(with_setting, folder_ + "/validate-setting.log", signals_);
    if (asked.stopped) return false;
    if (asked.exit_code == 0) known_.emplace_back(setting);
  }
  return true;
}

std::optional<RunResults> ContestantRuns::prepare() {
  return run(command("run"), "prepare");
}

std::optional<RunResults> ContestantRuns::visit(int round, int place, std::int64_t steps, bool own_cache) {
  LaunchCommand visit = command("run");
  set(visit, "/measure/verify_steps=0");
  set(visit, fmt::format("/measure/steps={}", steps));
  set(visit, "/measure/repetitions=1");
  if (own_cache)
    visit.environment["XDG_CACHE_HOME"] = fmt::format("{}/cache-{}", fs::absolute(folder_).string(), round);
  return run(std::move(visit), fmt::format("round-{}-{}", round, place));
}

std::optional<RunResults> ContestantRuns::run(LaunchCommand command, const std::string& name) {
  const std::string results = folder_ + "/" + name;
  command.arguments.insert(command.arguments.end(), {"--output", results, "--quiet"});
  set(command, "/training/epochs=1");
  for (const std::string& setting : known_) set(command, setting);
  const ProgramEnd end = run_program(command, results + ".log", signals_);
  if (end.stopped) return std::nullopt;
  constexpr int case_failed = 1;
  if (end.exit_code > case_failed) {
    throw InputError(fmt::format("{} ({}) ended with exit code {}: {}", contestant_.name, contestant_.program,
                                 end.exit_code, end.last_lines));
  }
  return read_results(results);
}

}  // namespace ddlbench::bench
