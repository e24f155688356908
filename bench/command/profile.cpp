#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <utility>

#include "base/printable.h"
#include "base/units.h"
#include "bench/case/cost_cache.h"
#include "bench/case/predict.h"
#include "bench/command/case_compiler.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/records/cache_file.h"
#include "bench/report/grid.h"
#include "program/actions.h"
#include "program/cost_table.h"

namespace ddlbench::bench {
namespace {

/// One operation: its time and its amount of work.
struct Entry {
  double seconds = 0;
  double flops = 0;        ///< of a computation
  double moved_bytes = 0;  ///< of a collective: the whole tensor
};

using Entries = std::map<std::pair<std::string, std::string>, Entry>;  ///< by ranks × threads, and key

double flops_of(const program::Compute& compute) {
  std::vector<graph::TensorType> inputs, outputs;
  for (const auto& operand : compute.inputs) inputs.push_back(operand.type);
  for (const auto& operand : compute.outputs) outputs.push_back(operand.type);
  return compute.op->flops(inputs, outputs);
}

void add(const program::Plan& plan, const program::CostTable& costs, const std::string& ranks_and_threads,
         Entries& entries) {
  const auto note = [&](const std::string& key, double flops, double bytes) {
    const program::OpCost* cost = costs.find(key);
    if (cost != nullptr && cost->seconds) entries[{ranks_and_threads, key}] = {*cost->seconds, flops, bytes};
  };
  for (const program::Role& role : plan.roles) {
    for (const auto* section : program::sections(role.train)) {
      for (const program::Instruction& instruction : *section) {
        if (const auto* compute = std::get_if<program::Compute>(&instruction.action)) {
          note(program::cost_key(*compute), flops_of(*compute), 0);
        }
        if (const program::CollectiveCall* call = program::collective(instruction.action)) {
          const auto element = static_cast<double>(graph::size_of(call->input.type.dtype));
          note(program::cost_key(*call, program::member_count(call->group, plan.meshes)), 0,
               static_cast<double>(program::moved_elements(*call)) * element);
        }
      }
    }
  }
}

std::string table(const Entries& entries) {
  using enum Grid::Align;
  Grid grid({right, right, right, left});
  grid.add({"ranks×threads", "time", "rate", "work"});
  for (const auto& [key, entry] : entries) {
    std::string rate;
    if (entry.flops > 0) rate = format_ratio(entry.flops / entry.seconds * 1e-9) + " GFLOP/s";
    if (entry.moved_bytes > 0) rate = format_ratio(entry.moved_bytes / entry.seconds * 1e-9) + " GB/s";
    grid.add({key.first, format_seconds(entry.seconds), rate, key.second});
  }
  return grid.text(0);
}

/// Times a case's operations. Compiles it by FLOPs first and then by the measured times, because stages may then be cut
/// elsewhere and have other operations. Returns whether the times could be stored.
bool profile(const Case& which, CaseCompiler& compiler, Entries& entries) {
  const Setup& setup = compiler.setup_of(which);
  const std::string threads = fmt::format("{}×{}", which.ranks, which.threads_per_rank);
  const std::string context = profile_context(setup.experiment, which, static_cast<int>(setup.cores.size()));
  program::CostTable costs;
  for (const auto& [key, entry] : entries) {
    if (key.first == threads) costs.insert(key.second, {entry.seconds, 0});
  }
  for (const bool by_times : {false, true}) {
    program::Plan plan = compiler.compile(which, by_times ? costs : program::CostTable{});
    const auto found = calibrate_on_threads(setup, plan, which.threads_per_rank, costs);
    for (const auto& [key, cost] : found.work.costs.all()) costs.insert(key, cost);
    add(plan, costs, threads, entries);
  }
  return store_profile(cache_folder(), context, costs);
}

}  // namespace

int profile_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const auto [experiment, cases, devices, work] = choose_cases(arguments);
  announce_devices(experiment, devices, err);
  announce_binding(err);
  CaseCompiler compiler(experiment);
  Entries entries;
  bool kept = true;
  for (const Case& which : cases) {
    const std::string& why = which.unsupported.empty() ? which.out_of_memory : which.unsupported;
    if (why.empty()) {
      kept = profile(which, compiler, entries) && kept;
    } else {
      err << which.id << ": skipped: " << printable(why) << '\n';
    }
  }
  out << table(entries);
  const std::string folder = cache_folder();
  if (folder.empty()) {
    err << "not cached: DDLBENCH_NO_CACHE is set, or there is no home folder\n";
    return exit_code::ok;
  }
  err << (kept ? "cached in " : "only partly cached in ") << printable(folder) << '\n';
  return kept ? exit_code::ok : exit_code::infrastructure;
}

}  // namespace ddlbench::bench
