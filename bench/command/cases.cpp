#include "bench/command/cases.h"

#include <fmt/core.h>
#include <map>

#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/command/experiment_file.h"
#include "bench/command/filter.h"
#include "bench/command/shard.h"
#include "bench/config/expand.h"
#include "bench/config/load.h"
#include "bench/config/registries.h"
#include "bench/config/resolve.h"
#include "bench/launcher/ranks_executor.h"
#include "bench/slurm/given_allocation.h"
#include "platform/bound_cores.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {
namespace {

std::vector<Case> filtered(const std::vector<Case>& cases, const std::string& filter) {
  const Filter pattern(filter);
  std::vector<Case> matching;
  for (const auto& which : cases) {
    if (pattern.matches(which.id) || pattern.matches(which.strategy.label)) matching.push_back(which);
  }
  if (matching.empty()) {
    throw InputError(
        fmt::format("--filter {} matches none of the {} cases; --dry-run lists their ids", filter, cases.size()));
  }
  return matching;
}

void note_data(Workload& workload) {
  const workloads::DatasetKind& kind = workloads::find_dataset(workload.dataset.kind);
  if (kind.identity == nullptr) return;
  try {
    workload.derived.data_identity = {kind.name, kind.identity(with_defaults(kind.options, workload.dataset.options))};
  } catch (const workloads::BadData&) {
    workload.derived.data_identity = {};
  }
}

/// Records the identity of the data files in the contracts of all variants, reading the files of each data set once.
void note_data(Experiment& experiment) {
  std::map<std::string, Choice> known;  ///< by data set, as JSON
  const auto note = [&known](Workload& workload) {
    const auto [found, is_new] = known.try_emplace(to_json(Nested{workload.dataset}).dump());
    if (is_new) {
      note_data(workload);
      found->second = workload.derived.data_identity;
    }
    workload.derived.data_identity = found->second;
  };
  note(experiment.workload);
  for (Variant& one : experiment.variants) note(one.workload);
}

/// In a Slurm job, notes the cores that the job has on other nodes. Returns how many of this machine's `cores` it has.
/// (Processes that a launcher started together have counted the cores of all their machines.)
int cores_of_job(int cores, Devices& devices) {
  const std::optional<GivenAllocation> given = in_ranks() ? std::nullopt : given_allocation();
  if (!given) return cores;
  const UsableCores usable = usable_cores(*given, cores);
  devices.derived.other_cores = usable.others;
  return usable.own;
}

}  // namespace

ChosenCases choose_cases(const Arguments& arguments, int cores) {
  require_experiment_file(arguments);
  const Registries registries = real_registries();
  ChosenCases chosen{load_experiment(arguments.config, arguments.overrides, registries), {}, {}};
  chosen.devices = choose_devices(chosen.experiment, registries);
  CaseCompiler compiler(chosen.experiment);
  compiler.check_workload();
  chosen.experiment.derived.start_digest = compiler.digest_of_start();
  note_data(chosen.experiment);
  const auto check_case = [&](const Experiment&, Case& which) { compiler.check_case(which); };
  cores = cores_of_job(cores, chosen.experiment.devices);
  chosen.cases = expand(chosen.experiment, registries, cores, check_case);
  require_runnable(chosen.experiment, chosen.cases);
  require_own_checkpoints(chosen.experiment, chosen.cases);
  if (!arguments.filter.empty()) chosen.cases = filtered(chosen.cases, arguments.filter);
  if (!arguments.shard.empty()) chosen.cases = cases_of_shard(chosen.cases, parse_shard(arguments.shard));
  chosen.experiment.derived.certificates_only = arguments.certificates_only;
  if (arguments.dry_run || arguments.time_limit) chosen.work = work_of(chosen.experiment, chosen.cases, compiler);
  if (arguments.dry_run) add_profiled_times(chosen.work, chosen.cases, compiler, cores);
  return chosen;
}

void announce_devices(const Experiment& experiment, const ChosenDevices& devices, std::ostream& notes) {
  require_devices(experiment, devices);
  if (!devices.message.empty()) notes << "ddlbench: " << devices.message << '\n';
}

void announce_binding(std::ostream& notes) {
  if (!platform::binding_is_disabled()) return;
  notes << "ddlbench: OMP_PROC_BIND is false: ranks are not bound to cores, so times may vary more\n";
}

ChosenCases choose_cases(const Arguments& arguments) {
  return choose_cases(arguments, static_cast<int>(platform::allowed_cores().size()));
}

}  // namespace ddlbench::bench
