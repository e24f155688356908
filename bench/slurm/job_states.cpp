#include "bench/slurm/job_states.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/join.h"
#include "bench/slurm/captured_command.h"

namespace ddlbench::bench {
namespace {

constexpr std::array waiting_states{"PENDING",      "CONFIGURING",  "REQUEUED",     "REQUEUE_FED",
                                    "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
constexpr std::array running_states{"RUNNING",   "COMPLETING", "SUSPENDED", "STOPPED",
                                    "SIGNALING", "STAGE_OUT",  "RESIZING"};

bool is_one_of(const std::string& name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line + "|");
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
  return cells;
}

/// Returns what Slurm writes for nothing as nothing.
std::string text_or_nothing(const std::string& cell) {
  return cell == "None" || cell == "(null)" || cell == "n/a" || cell == "None assigned" ? "" : cell;
}

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nullopt : std::optional(number);
}

/// The ids without the tasks of arrays.
std::string job_list(const std::vector<std::string>& ids) {
  std::set<std::string> jobs;
  for (const std::string& id : ids) jobs.insert(id.substr(0, id.find('_')));
  return joined(jobs, ",");
}

CapturedCommand ask(const std::string& program, std::vector<std::string> options, const std::string& jobs) {
  options.insert(options.begin(), program);
  options.push_back("--jobs=" + jobs);
  return run_captured(options);
}

JobStates ask_squeue(const std::string& jobs) {
  const CapturedCommand ended = ask("squeue", squeue_options(), jobs);
  const bool is_forgotten = ended.errors.find("Invalid job id") != std::string::npos;
  if (ended.exit_code != 0 && !is_forgotten) throw InputError("squeue does not answer: " + error_line(ended, "squeue"));
  return parse_squeue(ended.output);
}

}  // namespace

bool JobState::is_waiting() const {
  return is_one_of(name, waiting_states);
}
bool JobState::is_running() const {
  return is_one_of(name, running_states);
}

const std::vector<std::string>& squeue_options() {
  static const std::vector<std::string> options{"--noheader", "--array", "--states=all", "--format=%i|%T|%r|%M|%N"};
  return options;
}
const std::vector<std::string>& sacct_options() {
  static const std::vector<std::string> options{"--noheader", "--parsable2",
                                                "--format=JobID,State,ElapsedRaw,AllocCPUS,TotalCPU,Elapsed,NodeList"};
  return options;
}

JobStates parse_squeue(const std::string& output) {
  JobStates states;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 5) continue;
    JobState& state = states[cells[0]];
    state = {cells[1], "", cells[3], text_or_nothing(cells[4]), {}};
    if (state.is_waiting()) state.reason = text_or_nothing(cells[2]);
  }
  return states;
}

JobStates parse_sacct(const std::string& output) {
  JobStates states;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 7 || cells[0].find('.') != std::string::npos) continue;
    JobState& state = states[cells[0]];
    state = {cells[1].substr(0, cells[1].find(' ')), "", cells[5], text_or_nothing(cells[6]), {}};  // "CANCELLED by 0"
    const auto elapsed = number_of(cells[2]), cores = number_of(cells[3]), used = parse_slurm_time(cells[4]);
    if (elapsed && cores && used && *elapsed > 0 && *cores > 0)
      state.cpu_efficiency_ratio = *used / (*elapsed * *cores);
  }
  return states;
}

std::optional<double> parse_slurm_time(const std::string& text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string::npos;
  const auto days = has_days ? number_of(text.substr(0, dash)) : 0.0;
  if (!days) return std::nullopt;
  double seconds = 0;
  int parts = 0;
  std::istringstream in(has_days ? text.substr(dash + 1) : text);
  for (std::string part; std::getline(in, part, ':'); ++parts) {
    const auto number = number_of(part);
    if (!number || *number < 0) return std::nullopt;
    seconds = seconds * 60 + *number;
  }
  for (; has_days && parts > 0 && parts < 3; ++parts) seconds *= 60;  // days-hours, days-hours:minutes
  constexpr double seconds_per_day = 86400;
  return parts == 2 || parts == 3 ? std::optional(*days * seconds_per_day + seconds) : std::nullopt;
}

JobStates ask_slurm(const std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  JobStates states = ask_squeue(job_list(ids));
  std::vector<std::string> others;
  for (const std::string& id : ids) {
    if (!states.contains(id) || states.at(id).has_ended()) others.push_back(id);
  }
  if (others.empty()) return states;
  CapturedCommand accounted;
  try {
    accounted = ask("sacct", sacct_options(), job_list(others));
  } catch (const InputError&) {  // Slurm without its accounting commands
    return states;
  }
  for (const auto& [id, state] : parse_sacct(accounted.output)) states[id] = state;
  return states;
}

}  // namespace ddlbench::bench
