#include <algorithm>

#include "base/printable.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/export/mllog.h"
#include "bench/export/results_json.h"
#include "bench/export/tensorboard.h"
#include "bench/page/page.h"
#include "bench/records/file.h"
#include "bench/report/certificates.h"
#include "bench/report/results.h"

namespace ddlbench::bench {
namespace {

constexpr std::size_t drawn_schedules = 4;

/// Returns whether the run was one of `ddlbench verify`: it has certificates, but nothing was timed or trained.
bool certificates_only(const Records& records) {
  const auto is_measured = [](const CaseRecord& record) { return record.measurement.has_value(); };
  const auto is_timed = [](const CaseRecord& record) { return timed_measurement(record) || has_trained(record); };
  return std::any_of(records.cases.begin(), records.cases.end(), is_measured) &&
         std::none_of(records.cases.begin(), records.cases.end(), is_timed);
}

void print_text(const RunResults& results, std::ostream& out) {
  out << format_missing(results.rankings, results.records, results.folder);
  if (certificates_only(results.records)) {
    out << format_certificates(results.records.cases);
  } else {
    out << format_results(results.rankings);
  }
}

void print(const std::vector<RunResults>& runs, const std::string& format, std::ostream& out, std::ostream& err) {
  for (const RunResults& results : runs) {
    for (const std::string& note : results.notes)
      err << "ddlbench: " << printable(results.folder + ": " + note) << '\n';
    if (format == "json") continue;
    if (runs.size() > 1) out << (&results == &runs.front() ? "" : "\n") << printable(results.folder) << ":\n";
    print_text(results, out);
  }
  if (format == "json") out << results_json(runs);
}

}  // namespace

int report_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  for (const std::string& file : {arguments.html, arguments.mllog}) {
    if (!file.empty()) require_writable(file);
  }
  std::vector<RunResults> runs;
  for (const std::string& folder : arguments.folders) runs.push_back(read_results(folder));
  if (!arguments.html.empty()) {
    for (RunResults& results : runs) read_schedules(results, drawn_schedules);
  }
  if (!arguments.html.empty()) write_file_atomically(arguments.html, page(runs));
  const bool any_trained = std::any_of(runs.begin(), runs.end(), [](const RunResults& run) {
    return std::any_of(run.records.cases.begin(), run.records.cases.end(), has_trained);
  });
  if (!any_trained && !(arguments.mllog.empty() && arguments.tensorboard.empty()))
    err << "ddlbench: no case trained an epoch, so --mllog and --tensorboard have nothing to write\n";
  if (!arguments.mllog.empty()) write_file_atomically(arguments.mllog, mllog(runs));
  if (!arguments.tensorboard.empty()) write_tensorboard(runs, arguments.tensorboard);
  print(runs, arguments.format, out, err);
  return exit_code::ok;
}

}  // namespace ddlbench::bench
