#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/error.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "bench/case/cost_cache.h"
#include "bench/case/predict.h"
#include "bench/command/case_compiler.h"
#include "bench/command/cases.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/config/variants.h"
#include "bench/launcher/progress_display.h"
#include "bench/records/cache_file.h"
#include "bench/records/file.h"
#include "bench/report/grid.h"
#include "bench/report/predicted.h"
#include "bench/report/printable_stream.h"
#include "bench/report/roofline.h"
#include "bench/report/timeline_drawing.h"
#include "program/account.h"
#include "program/check.h"
#include "program/cost_table.h"
#include "program/passes.h"
#include "program/print.h"
#include "program/roofline.h"

namespace ddlbench::bench {
namespace {

/// The maximum over ranks, for each figure separately.
struct Largest {
  double flops = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::array<std::int64_t, program::memory_classes> peak_bytes_by_class{};
};

Largest largest_of(const program::Plan& plan) {
  Largest largest;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const program::Account account = program::account(plan, rank);
    largest.flops = std::max(largest.flops, account.total_flops());
    largest.sent_bytes = std::max(largest.sent_bytes, account.total_sent_bytes());
    largest.peak_bytes = std::max(largest.peak_bytes, account.peak_bytes);
    for (std::size_t i = 0; i < largest.peak_bytes_by_class.size(); ++i) {
      largest.peak_bytes_by_class[i] = std::max(largest.peak_bytes_by_class[i], account.peak_bytes_by_class[i]);
    }
  }
  return largest;
}

std::vector<std::string> header() {
  std::vector<std::string> cells{"case", "strategy", "mesh", "MFLOP/step", "sent/step", "peak"};
  for (int i = 0; i < program::memory_classes; ++i) {
    cells.emplace_back(program::name(static_cast<program::MemoryClass>(i)));
  }
  return cells;
}

std::vector<std::string> row(const Case& which, const program::Plan& plan) {
  const Largest largest = largest_of(plan);
  std::vector<std::string> cells{which.id,
                                 which.strategy.label,
                                 program::describe_meshes(plan),
                                 format_ratio(largest.flops / 1e6),
                                 format_bytes(largest.sent_bytes),
                                 format_bytes(largest.peak_bytes)};
  for (const auto bytes : largest.peak_bytes_by_class) cells.push_back(format_bytes(bytes));
  return cells;
}

/// Shows the roofline of the role whose minimum step time is the longest.
void show_roofline(const Case& which, const program::Plan& plan, const program::Roof& roof, std::ostream& out) {
  std::vector<program::OpWork> longest;
  for (const program::Role& role : plan.roles) {
    auto work = program::work_of_step(role.train, roof);
    if (program::total_of(work).least_seconds > program::total_of(longest).least_seconds) longest = std::move(work);
  }
  out << "== " << which.id << ": " << printable(which.strategy.label) << '\n' << roofline_text(longest, roof) << '\n';
}

/// A case compiled again with its devices' workspaces, and simulated.
struct Simulated {
  PredictedCase predicted;
  program::Plan plan;
  std::vector<std::vector<program::StepTimeline>> drawn;  ///< by step and rank
};

program::CostTable profile_of(const Case& which, CaseCompiler& compiler) {
  const Setup& setup = compiler.setup_of(which);
  return load_profile(cache_folder(), profile_context(setup.experiment, which, static_cast<int>(setup.cores.size())));
}

bool draws(const Arguments& arguments) {
  return arguments.timeline || !arguments.svg.empty();
}

Simulated simulate_case(const Experiment& experiment, const Case& which, CaseCompiler& compiler,
                        const Arguments& arguments) {
  const Hosts hosts = arguments.one_rank_per_host ? Hosts::one_per_rank : Hosts::this_one;
  const Setup& setup = compiler.setup_of(which);
  const auto cores = static_cast<int>(setup.cores.size());
  const program::CostTable profile = profile_of(which, compiler);
  Simulated result{{which, "", {}, setup.batches(), true}, compiler.compile(which, profile), {}};
  program::Plan& plan = result.plan;
  const Devices& devices = experiment.devices;
  const int threads = devices.derived.is_accelerator ? 1 : which.threads_per_rank;
  const int computing =
      devices.derived.is_accelerator ? devices.derived.seen : cores;  // ranks compete for GPUs as they would for cores
  const auto calibrated = calibrate_on_threads(setup, plan, threads, profile, hosts);
  const auto simulated = [&](const SimulatedSteps& steps) {
    if (hosts == Hosts::one_per_rank)
      return simulate_on_hosts(plan, calibrated, threads, setup.experiment.devices.throttle.link, steps);
    return simulate(plan, calibrated, threads, computing, steps);
  };
  result.predicted.prediction = to_record(plan, simulated({}));
  if (draws(arguments)) {
    const SimulatedSteps steps = steps_to_draw(plan);
    auto drawn = simulated(steps);
    if (!steps.report_all) drawn.steps.erase(drawn.steps.begin(), drawn.steps.end() - 1);
    result.drawn = std::move(drawn.steps);
  }
  if (hosts == Hosts::one_per_rank)
    result.predicted.which.oversubscribed = result.predicted.which.shares_devices = false;
  result.predicted.mesh = program::describe_meshes(plan);
  result.predicted.exact = plan.promise.kind == program::Promise::Kind::exact;
  return result;
}

std::string title_of(const Simulated& simulated) {
  const std::size_t steps = simulated.drawn.size();
  return fmt::format("{}: {}, {}, {} {}", simulated.predicted.which.id, simulated.predicted.which.strategy.label,
                     simulated.predicted.mesh,
                     steps == 1 ? "a simulated step of" : fmt::format("{} simulated steps; a steady one takes", steps),
                     format_seconds(simulated.predicted.prediction.step_seconds));
}

/// Writes the SVG file. Overwrites only a regular file that ends in .svg, to protect other files from a mistyped name.
void write_picture(const std::string& path, const std::string& svg) {
  if (std::filesystem::exists(path) &&
      !(std::filesystem::is_regular_file(path) && std::filesystem::path(path).extension() == ".svg")) {
    throw InputError("--svg " + path + ": exists and is not an .svg file; name another file");
  }
  write_file_atomically(path, svg);
}

void show_timeline(const Simulated& simulated, const Arguments& arguments, std::ostream& out) {
  if (!draws(arguments)) return;
  const Drawing drawing = draw(simulated.plan, simulated.drawn);
  if (!arguments.svg.empty()) write_picture(arguments.svg, timeline_svg(drawing, title_of(simulated)));
  if (!arguments.timeline) return;
  constexpr int page = 100;  // columns if the output is not a terminal
  const Terminal terminal = &out == &std::cout ? detect_terminal(STDOUT_FILENO) : Terminal{};
  const int width = terminal.descriptor < 0 ? page : terminal.columns();
  out << printable(title_of(simulated)) << '\n' << Control{timeline_text(drawing, width, terminal.colour)} << '\n';
}

/// Throws InputError unless every case has the links that --one-rank-per-host needs.
void require_links(const Experiment& experiment, const std::vector<Case>& cases) {
  for (const Case& which : cases) {
    const comm::Throttle link = devices_of(experiment, which).throttle.link;
    if (link.bytes_per_second > 0 || link.latency_seconds > 0) continue;
    throw InputError(
        fmt::format("--one-rank-per-host: {} has no link between hosts: set devices/throttle, such as "
                    "{{\"latency_seconds\": 1e-5, \"bytes_per_second\": 1.25e9}}",
                    which.id));
  }
}

/// Simulates the cases and prints the predictions. Prints to `err` why a case cannot be predicted.
void predict(const Experiment& experiment, const std::vector<Case>& cases, CaseCompiler& compiler,
             const Arguments& arguments, std::ostream& out, std::ostream& err) {
  std::vector<PredictedCase> predicted;
  const auto begin = std::chrono::steady_clock::now();
  std::size_t done = 0;
  for (const Case& which : cases) {
    std::optional<Simulated> simulated;
    ++done;
    try {
      simulated.emplace(simulate_case(experiment, which, compiler, arguments));
    } catch (const InputError& error) {
      err << which.id << ": no prediction: " << printable(error.what()) << '\n';
      continue;
    }
    show_timeline(*simulated, arguments, out);
    predicted.push_back(simulated->predicted);
    const std::string progress = format_prediction_progress(which.id, done, cases.size(), seconds_since(begin));
    if (!progress.empty()) err << progress << std::endl;
  }
  out << format_predictions(predicted);
}

}  // namespace

int plan_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  const auto [experiment, cases, devices, work] = choose_cases(arguments);
  if (arguments.one_rank_per_host && !arguments.static_only) require_links(experiment, cases);
  if (!arguments.static_only) {
    announce_devices(experiment, devices, err);
    announce_binding(err);
  }
  std::vector<Case> runnable;
  for (const Case& which : cases) {
    if (!which.unsupported.empty()) err << which.id << ": unsupported: " << printable(which.unsupported) << '\n';
    if (which.unsupported.empty()) runnable.push_back(which);
  }
  if (!arguments.svg.empty() && runnable.size() != 1) {
    throw InputError(
        fmt::format("--svg draws one case, but {} are selected: choose one with --filter", runnable.size()));
  }
  CaseCompiler compiler(experiment);
  std::vector<Grid::Align> columns(header().size(), Grid::Align::right);
  std::fill_n(columns.begin(), 3, Grid::Align::left);
  Grid grid(columns);
  grid.add(header());
  bool sound = true;
  std::vector<Case> fitting;
  for (const Case& which : runnable) {
    program::Plan plan =
        compiler.compile(which, arguments.static_only ? program::CostTable{} : profile_of(which, compiler));
    program::complete(plan, program::CostTable{});
    for (const auto& finding : program::check(plan)) {
      err << which.id << ": " << printable(program::to_string(finding)) << '\n';
      sound = false;
    }
    grid.add(row(which, plan));
    if (!arguments.roofline.empty()) show_roofline(which, plan, {arguments.roofline[0], arguments.roofline[1]}, out);
    if (!which.out_of_memory.empty()) err << which.id << ": out of memory: " << which.out_of_memory << '\n';
    if (which.out_of_memory.empty()) fitting.push_back(which);
    if (arguments.show_program) {
      out << "== " << which.id << ": " << printable(which.strategy.label) << '\n';
      program::print(out, plan);
      out << '\n';
    }
  }
  out << grid.text(0) << "Each figure is the maximum over the ranks, without library workspaces." << std::endl;
  if (!sound) return exit_code::case_failed;
  if (!arguments.static_only) {
    out << '\n';
    predict(experiment, fitting, compiler, arguments, out, err);
  }
  return exit_code::ok;
}

}  // namespace ddlbench::bench
