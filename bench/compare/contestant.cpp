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

/// Returns a regular expression for the case alone: its id begins with its number.
std::string pattern_of(const std::string& case_id) {
  return "^" + case_id.substr(0, case_id.find('-') + 1);
}

/// "was ended by signal 9 (SIGKILL)"
std::string describe(const ProgramEnd& end) {
  constexpr int before_signals = 128;
  return end.exit_code > before_signals ? "was ended by signal " + signal_text(end.exit_code - before_signals)
                                        : "ended with exit code " + std::to_string(end.exit_code);
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

LaunchCommand ContestantRuns::command(const std::string& subcommand, const std::string& filter) const {
  LaunchCommand command;
  command.program = contestant_.program;
  command.arguments = {subcommand, "--config", contestant_.config};
  if (!filter.empty()) command.arguments.insert(command.arguments.end(), {"--filter", filter});
  for (const std::string& setting : overrides_) set(command, setting);
  return command;
}

bool ContestantRuns::validate() {
  const ProgramEnd end = run_program({command("validate", filter_), folder_ + "/validate.log"}, signals_);
  if (end.stopped) return false;
  if (end.exit_code != 0) {
    throw InputError(fmt::format("{} ({}) cannot run {}: {}", contestant_.name, contestant_.program, contestant_.config,
                                 end.last_lines.empty() ? describe(end) : end.last_lines));
  }
  return find_known({"/measure/interleave=false", "/measure/predict=false", "/training/checkpoint/save=\"\"",
                     "/training/checkpoint/resume=false"},
                    settings_) &&
         find_known({"/measure/train=false", "/measure/case_seconds=0"}, visit_settings_);
}

bool ContestantRuns::find_known(std::initializer_list<const char*> settings, std::vector<std::string>& known) {
  for (const char* setting : settings) {
    ProgramStart with_setting{command("validate", filter_), folder_ + "/validate-setting.log"};
    set(with_setting.command, setting);
    const ProgramEnd asked = run_program(with_setting, signals_);
    if (asked.stopped) return false;
    if (asked.exit_code == 0) known.emplace_back(setting);
  }
  return true;
}

std::optional<RunResults> ContestantRuns::prepare() {
  const std::string results = folder_ + "/prepare";
  const ProgramEnd end = run_program(start_of(command("run", filter_), results), signals_);
  if (end.stopped) return std::nullopt;
  return results_in(results, end);
}

ProgramStart ContestantRuns::start_of(const Visit& visit) const {
  LaunchCommand command = this->command("run", pattern_of(visit.case_id));
  set(command, "/measure/verify_steps=0");
  set(command, fmt::format("/measure/steps={}", visit.steps));
  set(command, "/measure/repetitions=1");
  for (const std::string& setting : visit_settings_) set(command, setting);
  if (visit.own_cache)
    command.environment["XDG_CACHE_HOME"] = fmt::format("{}/cache-{}", fs::absolute(folder_).string(), visit.round);
  return start_of(std::move(command), folder_of(visit));
}

RunResults ContestantRuns::results_of(const Visit& visit, const ProgramEnd& end) const {
  return results_in(folder_of(visit), end);
}

ProgramStart ContestantRuns::start_of(LaunchCommand command, const std::string& results) const {
  command.arguments.insert(command.arguments.end(), {"--output", results, "--quiet"});
  set(command, "/training/epochs=1");
  for (const std::string& setting : settings_) set(command, setting);
  return {std::move(command), results + ".log"};
}

RunResults ContestantRuns::results_in(const std::string& results, const ProgramEnd& end) const {
  constexpr int case_failed = 1;
  const std::string which = fmt::format("{} ({}) {}", contestant_.name, contestant_.program, describe(end));
  if (end.exit_code > case_failed) throw InputError(which + (end.last_lines.empty() ? "" : ": " + end.last_lines));
  try {
    return read_results(results);
  } catch (const InputError& error) {
    throw InputError(which + ", but left no results: " + error.what());
  }
}

std::string ContestantRuns::folder_of(const Visit& visit) const {
  return fmt::format("{}/round-{}-{}-{}", folder_, visit.round, visit.place, visit.case_id);
}

}  // namespace ddlbench::bench
