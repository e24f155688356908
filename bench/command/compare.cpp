#include <fmt/core.h>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/compare/compare_runs.h"
#include "bench/compare/comparison_csv.h"
#include "bench/compare/comparison_text.h"
#include "bench/compare/interleaved_runs.h"
#include "bench/compare/scratch_folder.h"
#include "bench/page/environment_text.h"
#include "bench/records/file.h"

namespace ddlbench::bench {
namespace {

using NoteOfContract = std::function<std::string(const std::string& contract_id)>;

TableFormat format_of(const Arguments& arguments) {
  return arguments.markdown ? TableFormat::markdown : TableFormat::text;
}

/// Returns a line about one of the two runs, which is called `what`.
std::string run_line(const char* name, const std::string& what, const RunResults& run) {
  std::string text = fmt::format("{}: {}", name, what);
  for (const std::string& part : {text_at(run.environment, "/start_time_utc"), version_text(run.environment)})
    if (!part.empty()) text += ", " + part;
  return printable(text) + "\n";
}

void print_runs(const Arguments& arguments, const RunResults& old_run, const RunResults& new_run, std::ostream& out) {
  const TableFormat as = format_of(arguments);
  const std::string differences =
      format_differences("The environments differ", environment_differences(old_run, new_run), as) +
      format_differences("The configurations differ", config_differences(old_run, new_run), as);
  out << run_line("OLD", arguments.before, old_run) << blank_line(as) << run_line("NEW", arguments.after, new_run)
      << '\n'
      << differences << (differences.empty() ? "" : "\n");
}

/// Prints the cases and writes them to the CSV file. Returns the exit code.
int print_cases(const Arguments& arguments, const std::vector<ComparedCase>& cases, const NoteOfContract& note_of,
                std::ostream& out) {
  out << format_cases(cases, note_of, format_of(arguments)) << '\n' << format_conclusion(cases);
  if (!arguments.csv.empty()) write_file_atomically(arguments.csv, comparison_csv(cases));
  return has_regression(cases) ? exit_code::regression : exit_code::ok;
}

/// Returns what to do if the runs do not show which is faster.
std::string advice(const std::vector<ComparedCase>& cases) {
  bool without_rounds = false, ambiguous = false;
  for (const ComparedCase& one : cases) {
    without_rounds = without_rounds || one.without_rounds;
    ambiguous = ambiguous || (one.verdict == Verdict::ambiguous && !one.without_rounds);
  }
  std::string text;
  if (without_rounds)
    text += "Steps of one process per run cannot support a verdict: run both again with measure/interleave.\n";
  if (ambiguous)
    text += "Ambiguous cases need more rounds (measure/max_seconds), or runs that take turns (compare --run).\n";
  return text;
}

int compare_results(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const RunResults old_run = read_results(arguments.before), new_run = read_results(arguments.after);
  for (const RunResults* run : {&old_run, &new_run}) {
    for (const std::string& note : run->notes) err << "ddlbench: " << printable(run->folder + ": " + note) << '\n';
  }
  const RunComparison comparison = compare_runs(old_run, new_run, arguments.margin);
  const auto margin_of = [&](const std::string& contract) {
    for (const auto& [id, noise] : comparison.noise) {
      if (id == contract) return format_margin(noise, arguments.margin);
    }
    return std::string();
  };
  print_runs(arguments, old_run, new_run, out);
  const int code = print_cases(arguments, comparison.cases, margin_of, out);
  out << advice(comparison.cases);
  return code;
}

/// Returns the path of a folder, which is new or empty.
std::string new_folder(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error))
    throw InputError("output folder " + path + " is not empty: name another with --output, or remove it");
  std::filesystem::create_directories(path, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", path, error.message()));
  return path;
}

RoundLimits limits_of(const Arguments& arguments) {
  RoundLimits limits;
  limits.rounds = arguments.rounds;
  limits.max_seconds = arguments.max_seconds.value_or(limits.max_seconds);
  limits.margin = arguments.margin;
  return limits;
}

int compare_in_turns(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  auto [older, newer] = contestants_of(arguments.before, arguments.after, arguments.config);
  std::optional<ScratchFolder> scratch;
  if (arguments.output.empty()) scratch.emplace();
  const std::string folder = scratch ? scratch->path() : new_folder(arguments.output);
  std::ostream nowhere(nullptr);
  std::ostream& notes = arguments.quiet ? nowhere : err;
  const StopSignals signals;
  announce_binding(notes);
  const auto runs_of = [&](Contestant contestant, const char* name) {
    return ContestantRuns(std::move(contestant), folder + "/" + name, arguments.overrides, arguments.filter, signals);
  };
  InterleavedRuns runs(runs_of(std::move(older), "old"), runs_of(std::move(newer), "new"), limits_of(arguments),
                       signals, notes);
  runs.run();
  const std::vector<ComparedCase> cases = runs.cases();
  print_runs(arguments, runs.old_results(), runs.new_results(), out);
  const int code = print_cases(
      arguments, cases, [](const std::string&) { return std::string(); }, out);
  out << fmt::format("Basis: up to {} in which both took turns; a claim has to exceed {}.\n",
                     counted(runs.complete_rounds(), "complete round"), format_percentage(arguments.margin, 1));
  if (const int signal = signals.received(); signal != 0) return 128 + signal;
  if (!runs.why_ended().empty()) {
    err << "ddlbench: the rounds ended early: " << printable(runs.why_ended()) << '\n';
    return exit_code::infrastructure;
  }
  return code == exit_code::ok && runs.has_failures() ? exit_code::case_failed : code;
}

}  // namespace

int compare_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const bool for_turns = !arguments.config.empty() || !arguments.overrides.empty() || !arguments.filter.empty() ||
                         !arguments.output.empty() || arguments.rounds || arguments.max_seconds || arguments.quiet;
  if (for_turns && !arguments.take_turns) {
    throw InputError(
        "--config, --set, --filter, --output, --rounds, --max-seconds and --quiet are for runs that take turns: add "
        "--run, or leave them out to compare two folders of results");
  }
  if (!arguments.csv.empty()) require_writable(arguments.csv);
  return arguments.take_turns ? compare_in_turns(arguments, out, err) : compare_results(arguments, out, err);
}

}  // namespace ddlbench::bench
