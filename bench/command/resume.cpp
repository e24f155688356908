#include "bench/command/resume.h"

#include <fmt/core.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/join.h"
#include "bench/compare/decisive_environment.h"
#include "bench/compare/differences.h"
#include "bench/records/environment.h"
#include "bench/records/file.h"
#include "bench/report/ranking.h"
#include "json/parse.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

std::vector<std::string> lines(const std::vector<Difference>& found, const std::string& what) {
  std::vector<std::string> texts;
  for (const Difference& one : found)
    texts.push_back(fmt::format("{}: {}: was {}, is {}", what, one.name, one.old_value, one.new_value));
  return texts;
}

/// Returns the first cases whose contracts differ although the configuration is the same: their data do.
std::vector<std::string> changed_data(const Records& records, const std::map<std::string, const Case*>& cases) {
  for (const PlannedCase& planned : records.planned) {
    const Case& now = *cases.at(planned.case_id);
    if (now.contract_id == planned.contract_id) continue;
    return {
        fmt::format("data: the contract of {} was {}, is {}: the files of its data set or its initial weights changed",
                    now.id, planned.contract_id, now.contract_id)};
  }
  return {};
}

std::vector<std::string> changes_since(const ResumedRun& resumed, const std::map<std::string, const Case*>& cases) {
  const RunResults& results = resumed.results;
  std::vector<std::string> found =
      lines(differences(results.config, json::parse_whole(resumed.chosen.experiment.resolved), '/'), "configuration");
  const bool same_configuration = found.empty();
  const std::string file = results.folder + "/config.json";
  if (hexadecimal(fnv1a(read_file(file))) != results.environment.value("config_hash", ""))
    found.push_back(file + ": was changed after the run had written it");
  const Json now = describe_environment();
  const auto add = [&](const std::vector<std::string>& more) { found.insert(found.end(), more.begin(), more.end()); };
  add(lines(differences(program_in(results.environment), program_in(now), '.'), "program"));
  add(lines(differences(machine_in(results.environment), machine_in(now), '.'), "machine"));
  if (same_configuration) add(changed_data(results.records, cases));
  return found;
}

/// Keeps the planned cases, in the order of the plan; for a dry run those that are left to run.
void restrict_to_plan(ChosenCases& chosen, const Records& records, const std::map<std::string, const Case*>& cases,
                      const Arguments& arguments) {
  std::set<std::string> kept;
  for (const CaseRecord& record : records.cases) {
    if (arguments.dry_run && !is_retried(record, arguments.retry)) kept.insert(record.case_id);
  }
  std::vector<Case> planned;
  std::vector<CaseWork> work;
  for (const PlannedCase& one : records.planned) {
    if (kept.contains(one.case_id)) continue;
    const Case* which = cases.at(one.case_id);
    planned.push_back(*which);
    if (!chosen.work.empty()) work.push_back(chosen.work[static_cast<std::size_t>(which - chosen.cases.data())]);
  }
  chosen.cases = std::move(planned);
  chosen.work = std::move(work);
}

}  // namespace

void check_resume_options(const Arguments& arguments) {
  if (arguments.resume.empty()) {
    if (arguments.retry != Retry::infrastructure) throw InputError("--retry is for a run that continues: --resume DIR");
    if (arguments.accept_changes) throw InputError("--accept-changes is for a run that continues: --resume DIR");
    return;
  }
  const std::string why = ": --resume runs all that is left of the run in " + arguments.resume + "; leave it out";
  if (!arguments.output.empty()) throw InputError("--output " + arguments.output + why);
  if (!arguments.filter.empty()) throw InputError("--filter " + arguments.filter + why);
  if (!arguments.shard.empty()) throw InputError("--shard " + arguments.shard + why);
}

ResumedRun read_resumed_run(const Arguments& arguments, const Choose& choose, int cores) {
  ResumedRun resumed{read_results(arguments.resume), {}, {}};
  const Records& records = resumed.results.records;
  if (resumed.results.config.is_null() || resumed.results.environment.is_null())
    throw InputError(fmt::format("{}: cannot be resumed: {}", arguments.resume, joined(resumed.results.notes, " ")));
  if (records.planned.empty()) {
    throw InputError(arguments.resume +
                     ": the run ended before it had listed its cases; remove the folder and run the experiment again");
  }
  if (arguments.certificates_only && !records.kind.certificates_only) {
    throw InputError(arguments.resume + ": is not a run of `ddlbench verify`: resume it with `ddlbench --resume " +
                     arguments.resume + "`");
  }
  Arguments again = arguments;
  if (again.config.empty()) again.config = resumed.results.folder + "/config.json";
  again.certificates_only = records.kind.certificates_only;
  resumed.chosen = choose(again, cores);

  std::map<std::string, const Case*> cases;
  for (const Case& which : resumed.chosen.cases) cases[which.id] = &which;
  for (const PlannedCase& one : records.planned) {
    if (cases.contains(one.case_id)) continue;
    throw InputError(
        fmt::format("{}: has a case {}, which the configuration {} does not have on this machine; resume "
                    "with the configuration of the run, on a machine with as many cores",
                    arguments.resume, one.case_id, again.config));
  }
  resumed.changes = changes_since(resumed, cases);
  restrict_to_plan(resumed.chosen, records, cases, arguments);
  if (!resumed.changes.empty() && !arguments.accept_changes) {
    throw InputError(
        fmt::format("{}: cannot be resumed, because its results would not be comparable with further ones: "
                    "{}; undo this, start a new run, or resume with --accept-changes",
                    arguments.resume, joined(resumed.changes, "; ")));
  }
  return resumed;
}

std::string what_is_left(const ResumedRun& resumed, Retry retry) {
  std::size_t kept = 0, again = 0;
  for (const CaseRecord& record : resumed.results.records.cases) ++(is_retried(record, retry) ? again : kept);
  const std::size_t planned = resumed.results.records.planned.size();
  std::string text = fmt::format("{} of {} cases have ended; {} left to run", kept, planned, planned - kept);
  if (again > 0) text += fmt::format(", {} of them again", again);
  if (const std::string contracts = contracts_without_rounds(resumed.results.rankings); !contracts.empty())
    text += fmt::format("; the rounds of {} are left", contracts);
  return text;
}

}  // namespace ddlbench::bench
