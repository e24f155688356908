#include <fmt/core.h>
#include <algorithm>
#include <filesystem>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/experiment_file.h"
#include "bench/command/main_command.h"
#include "bench/config/load.h"
#include "bench/config/registries.h"
#include "bench/launcher/launch_command.h"
#include "bench/slurm/study_status.h"
#include "bench/slurm/submit.h"
#include "platform/bound_cores.h"

namespace ddlbench::bench {
namespace {

/// The cases before and after --filter.
struct Selection {
  ChosenCases chosen;
  std::vector<Case> all;
};

/// Returns about as many cores as this machine has, but not a number of threads that the experiment asks for: with it,
/// `single` has all cases that it may have on the machines of the jobs.
int cores_without_repeats(const Experiment& experiment) {
  auto cores = static_cast<int>(platform::allowed_cores().size());
  const auto& variants = experiment.variants;
  const auto asks_for_them = [&](const Variant& one) { return one.devices.threads_per_rank == cores; };
  while (std::any_of(variants.begin(), variants.end(), asks_for_them)) ++cores;
  return cores;
}

Selection select(Arguments arguments) {
  arguments.dry_run = false;  // no estimate of times on this machine
  arguments.time_limit.reset();
  require_experiment_file(arguments);
  const int cores = cores_without_repeats(load_experiment(arguments.config, arguments.overrides, real_registries()));
  Selection selection{choose_cases(arguments, cores), {}};
  if (arguments.filter.empty()) {
    selection.all = selection.chosen.cases;
  } else {
    arguments.filter.clear();
    selection.all = choose_cases(arguments, cores).cases;
  }
  return selection;
}

void require_named_device(const ChosenCases& chosen) {
  if (chosen.devices.message.empty()) return;
  throw InputError(
      fmt::format("/devices/kind is auto, which here is {0}, but the jobs run on other machines; name the kind: --set "
                  "/devices/kind={0}",
                  chosen.experiment.devices.kind));
}

StudyRequest complete(StudyRequest request) {
  if (request.folder.empty())
    throw InputError("no folder given: name one for the jobs and their results with --output");
  request.folder = std::filesystem::absolute(request.folder).lexically_normal().string();
  while (request.folder.size() > 1 && request.folder.ends_with('/')) request.folder.pop_back();
  request.working_folder = std::filesystem::current_path().string();
  request.program = own_program();
  return request;
}

void print(const std::vector<BatchScript>& scripts, const StudyRequest& request, std::ostream& out) {
  for (const BatchScript& script : scripts) {
    out << fmt::format("{}==> {}/{}.sh <==\n{}", &script == &scripts.front() ? "" : "\n",
                       printable(slurm_folder(request.folder)), script.name, script.text);
  }
}

void print_plan(const std::vector<BatchScript>& scripts, const StudyRequest& request, std::ostream& out) {
  for (const BatchScript& script : scripts) {
    std::size_t cases = 0;
    for (const StudyJob& job : script.jobs) cases += job.case_ids.size();
    out << fmt::format("{}/{}.sh: {}, {}{}\n", printable(slurm_folder(request.folder)), script.name,
                       counted(cases, "case"),
                       script.jobs.size() > 1 ? fmt::format("{} tasks on ", script.jobs.size()) : "",
                       describe(script.jobs[0].allocation));
  }
}

}  // namespace

int slurm_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const StudyRequest request = complete(arguments.study);
  const Selection selection = select(arguments);
  const Experiment& experiment = selection.chosen.experiment;
  require_named_device(selection.chosen);
  const std::vector<StudyJob> jobs = jobs_of(experiment, selection.all, selection.chosen.cases, request);
  const std::vector<BatchScript> scripts = batch_scripts(experiment.name, jobs, request);
  if (arguments.dry_run) {
    print(scripts, request, out);
    return exit_code::ok;
  }
  write_study(request.folder, experiment.name, experiment.resolved, scripts);
  print_plan(scripts, request, out);
  if (arguments.submit) {
    submit_study(request.folder, err);
  } else {
    err << "ddlbench: nothing was submitted: submit the scripts with sbatch, or add --submit\n";
  }
  return exit_code::ok;
}

int slurm_status_command(const Arguments& arguments, std::ostream& out) {
  const std::string& study = arguments.study.folder;
  const JobList list = read_jobs(study);
  std::vector<std::string> ids;
  for (const ListedJob& job : list.jobs) {
    if (!job.id.empty()) ids.push_back(job.id);
  }
  out << format_status(study_status(study, list, ask_slurm(ids)));
  return exit_code::ok;
}

}  // namespace ddlbench::bench
