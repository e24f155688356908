#include <fmt/core.h>

#include "base/printable.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/compare/compare_runs.h"
#include "bench/compare/comparison_csv.h"
#include "bench/compare/comparison_text.h"
#include "bench/page/environment_text.h"
#include "bench/records/file.h"

namespace ddlbench::bench {
namespace {

std::string run_line(const char* name, const RunResults& run) {
  std::string text = fmt::format("{}: {}", name, run.folder);
  for (const std::string& part : {text_at(run.environment, "/start_time_utc"), version_text(run.environment)})
    if (!part.empty()) text += ", " + part;
  return printable(text) + "\n";
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
  if (ambiguous) text += "Ambiguous cases need more rounds (measure/max_seconds), or a quieter machine.\n";
  return text;
}

}  // namespace

int compare_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  if (!arguments.csv.empty()) require_writable(arguments.csv);
  const RunResults old_run = read_results(arguments.before), new_run = read_results(arguments.after);
  for (const RunResults* run : {&old_run, &new_run}) {
    for (const std::string& note : run->notes) err << "ddlbench: " << printable(run->folder + ": " + note) << '\n';
  }
  const RunComparison comparison = compare_runs(old_run, new_run, arguments.margin);
  const TableFormat as = arguments.markdown ? TableFormat::markdown : TableFormat::text;
  const auto noise_note = [&](const std::string& contract) {
    for (const auto& [id, noise] : comparison.noise) {
      if (id == contract) return format_margin(noise, arguments.margin);
    }
    return std::string();
  };
  out << run_line("OLD", old_run) << blank_line(as) << run_line("NEW", new_run) << '\n'
      << format_differences("The environments differ", comparison.environment, as)
      << format_differences("The configurations differ", comparison.config, as);
  if (!comparison.environment.empty() || !comparison.config.empty()) out << '\n';
  out << format_cases(comparison.cases, noise_note, as) << '\n'
      << format_conclusion(comparison.cases) << advice(comparison.cases);
  if (!arguments.csv.empty()) write_file_atomically(arguments.csv, comparison_csv(comparison.cases));
  return has_regression(comparison.cases) ? exit_code::regression : exit_code::ok;
}

}  // namespace ddlbench::bench
