// Times every op of a model's training step at the model's own shapes, each distinct one once and alone, and reports
// its fraction of the device's peak compute rate or peak memory bandwidth, whichever bounds it. The peaks are measured
// before and after each op, because on some machines the memory bandwidth changes by a factor of two from one second to
// the next.
//   micro_models --model resnet50 --batch 8
//   micro_models --model gpt2-small --input 256 --batch 4 --precision bf16
// --check PERCENT compares each row of `ddlbench layers` with the same ops timed alone, and exits with code 1 if one
// deviates by more. --bind only binds the ops: with an empty cache as the first run on a machine does, else as a later
// one:
//   XDG_CACHE_HOME=$(mktemp -d) micro_models --model resnet50 --batch 8 --bind
// --candidates autotunes each op and prints the time of every candidate, whatever earlier runs have chosen:
//   micro_models --model gpt2-small --input 256 --batch 4 --only linear --candidates
// --environment FILE writes what the figures depend on: the command, the machine, libraries and the build.

#include <sys/resource.h>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>

#include "base/error.h"
#include "base/median.h"
#include "base/units.h"
#include "bench/case/kernel_choices.h"
#include "bench/case/layer_times.h"
#include "bench/case/peaks.h"
#include "bench/case/precision.h"
#include "bench/command/chosen_model.h"
#include "bench/micro/bound.h"
#include "bench/micro/candidates.h"
#include "bench/records/environment.h"
#include "bench/records/file.h"
#include "bench/report/grid.h"
#include "graph/graph.h"
#include "graph/ops/optimizer.h"
#include "kernels/binding.h"
#include "platform/bound_cores.h"
#include "platform/scratch_memory.h"
#include "runtime/op_timer.h"

namespace {

using namespace ddlbench;
using bench::Grid;

struct Settings {
  bench::Arguments model;
  std::string device = "cpu";
  std::string only;           ///< only kinds of ops whose names contain this
  double seconds = 0.1;       ///< per op
  double tolerance = 0;       ///< percent; 0: rows are not checked
  double least_row = 100e-6;  ///< seconds; shorter rows are not checked
  bool bind_alone = false;
  bool candidates = false;
  std::string environment;  ///< the file to write
};

struct Row {
  kernels::Binding binding;
  int count = 0;   ///< how often a step executes it
  int places = 1;  ///< number of operand locations, used in rotation
  double seconds = 0, flops = 0, bytes = 0;
  bench::Peaks peaks;  ///< measured before and after the op

  double computing_seconds() const { return flops / peaks.flops_per_second; }
  double moving_seconds() const { return bytes / peaks.bytes_per_second; }
  double at_peak_seconds() const { return std::max(computing_seconds(), moving_seconds()); }
  bool is_bound_by_computing() const { return computing_seconds() > moving_seconds(); }
};

using Rows = std::map<std::string, Row>;

kernels::Binding binding_of(const graph::Graph& graph, const graph::Node& node) {
  return {{node.op}, graph.types_of(node.inputs), graph.types_of(node.outputs)};
}

void add(Rows& rows, const kernels::Binding& binding, std::int64_t step_bytes) {
  Row& row = rows[kernels::describe(binding)];
  row.binding = binding;
  ++row.count;
  std::int64_t bytes = 0;
  for (const auto* types : {&binding.inputs, &binding.outputs}) {
    for (const auto& type : *types) bytes += static_cast<std::int64_t>(graph::bytes(type));
  }
  row.places = bench::places_in_caches(bytes, step_bytes);
}

/// Returns the ops by description. The update is SGD's with momentum, of all parameters at once.
Rows rows_of(const graph::Graph& training, const std::string& only) {
  Rows rows;
  const std::int64_t step_bytes = bench::bytes_of_tensors(training);
  std::int64_t parameters = 0;
  for (const graph::TensorId id : training.with_role(graph::Role::parameter)) {
    parameters += graph::elements(training.tensors[static_cast<std::size_t>(id)].type.shape);
  }
  for (const graph::Node& node : training.nodes) {
    if (node.op->is_view() || node.op->kind().find(only) == std::string::npos) continue;
    add(rows, binding_of(training, node), step_bytes);
  }
  const graph::TensorType flat{{parameters}};
  const auto update = graph::sgd({.momentum = 0.9f}).update({});
  if (update->kind().find(only) != std::string::npos) {
    add(rows, {{update}, {flat, flat, flat}, {flat, flat}}, step_bytes);
  }
  return rows;
}

struct Usage {
  double processor_seconds = 0;
  std::int64_t peak_bytes = 0;
};

Usage usage_now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), std::int64_t{usage.ru_maxrss} * 1024};
}

void bind_all(const Rows& rows, kernels::Device& device) {
  const Usage before = usage_now();
  const auto begin = std::chrono::steady_clock::now();
  const bench::ChoiceCache kept(device);
  kernels::Choices* const choices = device.choices();
  const auto scratch = choices == nullptr ? nullptr : choices->scratch();
  for (const auto& [description, row] : rows) device.bind(row.binding);
  const std::string told = bench::store_new_choices(device, kept);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Usage after = usage_now();
  std::printf("%zu kernels bound in %s, %s of the processor's; at most %s resident: %s\n", rows.size(),
              format_seconds(seconds).c_str(),
              format_seconds(after.processor_seconds - before.processor_seconds).c_str(),
              format_bytes(after.peak_bytes).c_str(), told.c_str());
}

/// Returns the lower quartile of launches, as `ddlbench layers` does.
double time_alone(kernels::Device& device, const Row& row, double seconds) {
  constexpr int warm_up = 2, fewest = 5, most = 1000;
  micro::Bound bound(device, row.binding, row.places);
  std::vector<std::int64_t> nanoseconds;
  double spent = 0;
  for (int i = -warm_up; i < fewest || (spent < seconds && i < most); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    bound.launch();
    device.finish();
    const auto taken = std::chrono::steady_clock::now() - begin;
    if (i < 0) continue;
    nanoseconds.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
    spent += std::chrono::duration<double>(taken).count();
  }
  return static_cast<double>(runtime::lower_quartile(std::move(nanoseconds))) * 1e-9;
}

bench::Peaks peaks_now(bench::PeakProbe& probe) {
  return {probe.measure_products(), probe.best().size, probe.measure_memory()};
}

void time_rows(Rows& rows, kernels::Device& device, bench::PeakProbe& probe, double seconds) {
  bench::Peaks before = peaks_now(probe);
  for (auto& [description, row] : rows) {
    std::fprintf(stderr, "timing %s\n", description.c_str());
    row.seconds = time_alone(device, row, seconds);
    row.flops = row.binding.op->flops(row.binding.inputs, row.binding.outputs);
    row.bytes = micro::bytes_moved(row.binding);
    const bench::Peaks after = peaks_now(probe);
    row.peaks = {std::max(before.flops_per_second, after.flops_per_second), after.size,
                 std::max(before.bytes_per_second, after.bytes_per_second)};
    before = after;
  }
}

std::string table(const Rows& rows) {
  using enum Grid::Align;
  Grid grid({right, right, right, right, right, left, left});
  grid.add({"times", "ms", "GFLOP/s", "GB/s", "of peak", "bound by", "op"});
  for (const auto& [description, row] : rows) {
    const auto rate = [&row](double amount) { return format_ratio(amount / row.seconds * 1e-9); };
    grid.add({std::to_string(row.count), format_ratio(row.seconds * 1e3), rate(row.flops), rate(row.bytes),
              format_ratio(100 * row.at_peak_seconds() / row.seconds) + " %",
              row.is_bound_by_computing() ? "compute" : "memory", description});
  }
  return grid.text(0);
}

/// Returns a table by kind of op: the time of all ops of a step, and their minimum time at the peaks measured around
/// them, which for each op is the longer of its FLOPs' and its bytes' time. The optimizer's update is SGD's.
std::string roofline(const Rows& rows) {
  struct Sum {
    int count = 0;
    double seconds = 0, computing = 0, moving = 0;  ///< the latter two: at the peak, for the ops that it bounds
    double at_peak() const { return computing + moving; }
  };
  std::map<std::string, Sum> kinds;
  Sum total;
  for (const auto& [description, row] : rows) {
    for (Sum* sum : {&kinds[std::string(row.binding.op->kind())], &total}) {
      sum->count += row.count;
      sum->seconds += row.count * row.seconds;
      (row.is_bound_by_computing() ? sum->computing : sum->moving) += row.count * row.at_peak_seconds();
    }
  }
  using enum Grid::Align;
  Grid grid({left, right, right, right, right, right});
  grid.add({"kind", "times", "ms", "at peak compute ms", "at peak memory ms", "of peak"});
  const auto add_row = [&grid](const std::string& name, const Sum& sum) {
    const auto milliseconds = [](double seconds) { return seconds > 0 ? format_ratio(seconds * 1e3) : ""; };
    grid.add({name, std::to_string(sum.count), milliseconds(sum.seconds), milliseconds(sum.computing),
              milliseconds(sum.moving), format_ratio(100 * sum.at_peak() / sum.seconds) + " %"});
  };
  std::vector<std::pair<std::string, Sum>> longest(kinds.begin(), kinds.end());
  std::sort(longest.begin(), longest.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  for (const auto& [kind, sum] : longest) add_row(kind, sum);
  add_row("all", total);
  return grid.text(0);
}

void print_peaks(const Rows& rows) {
  const auto range = [&rows](double bench::Peaks::*peak) {
    const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), [peak](const auto& a, const auto& b) {
      return a.second.peaks.*peak < b.second.peaks.*peak;
    });
    return fmt::format("{}–{}", format_ratio(least->second.peaks.*peak * 1e-9),
                       format_ratio(most->second.peaks.*peak * 1e-9));
  };
  const auto size = static_cast<long long>(rows.begin()->second.peaks.size);
  std::printf("peaks beside the ops: %s GFLOP/s (products of %lldx%lld), %s GB/s\n",
              range(&bench::Peaks::flops_per_second).c_str(), size, size,
              range(&bench::Peaks::bytes_per_second).c_str());
}

/// Returns the rows of a layer's ops.
std::vector<const Row*> rows_of_layer(const bench::LayerTimer& timer, std::size_t layer, const Rows& rows) {
  std::vector<const Row*> found;
  for (const graph::Node* node : timer.nodes(layer)) {
    found.push_back(&rows.at(kernels::describe(binding_of(timer.graph(), *node))));
  }
  return found;
}

/// A layer in `ddlbench layers` and its ops timed alone, alternating. The result is the median of the ratios within a
/// turn, because a temporary slowdown of the machine affects both.
struct Pair {
  std::vector<double> in_layers, alone;
  double ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < alone.size(); ++i) ratios.push_back(in_layers[i] / alone[i]);
    return median(std::move(ratios));
  }
  bool off(double percent) const { return std::abs(ratio() - 1) * 100 > percent; }
};

/// Times a pair: three turns; 25 if three disagree; one for a row too short to be checked. On memory whose speed
/// changes by a factor of two within seconds, a turn's ratio has a standard deviation of up to 0.13 (VGG-16's first
/// linear layer), and the median of 25 independent ones has 0.03.
Pair time_pair(const bench::LayerTimer& timer, std::size_t layer, const std::vector<const Row*>& ops,
               kernels::Device& device, const Settings& settings) {
  constexpr std::size_t turns = 3, turns_in_doubt = 25;
  Pair pair;
  const auto take_turns = [&](std::size_t most) {
    while (pair.alone.size() < most) {
      double alone = 0;
      pair.in_layers.push_back(timer.time(layer).seconds());
      for (const Row* op : ops) alone += time_alone(device, *op, settings.seconds);
      pair.alone.push_back(alone);
    }
  };
  take_turns(1);
  if (pair.alone.front() < settings.least_row) return pair;
  take_turns(turns);
  if (pair.off(settings.tolerance)) take_turns(turns_in_doubt);
  return pair;
}

/// Checks all rows; layers with the same ops are timed as one row. Returns whether all rows agree.
bool check(const bench::LayerTimer& timer, const Rows& rows, kernels::Device& device, const Settings& settings) {
  std::map<std::vector<const Row*>, Pair> pairs;
  double sum_alone = 0, sum_layers = 0;
  int checked = 0, off = 0;
  for (std::size_t layer = 0; layer < timer.layers(); ++layer) {
    const auto ops = rows_of_layer(timer, layer, rows);
    if (ops.empty()) continue;
    const std::string& name = timer.graph().nodes[layer].name;
    const auto [timed, is_new] = pairs.try_emplace(ops);
    Pair& pair = timed->second;
    if (is_new) {
      std::fprintf(stderr, "checking %s\n", name.c_str());
      pair = time_pair(timer, layer, ops, device, settings);
    }
    sum_layers += median(pair.in_layers);
    sum_alone += median(pair.alone);
    if (pair.alone.size() == 1) continue;
    ++checked;
    if (!pair.off(settings.tolerance)) continue;
    ++off;
    std::printf("%s: %.3f ms in `layers`, %.3f ms alone, ratio %.2f\n", name.c_str(), median(pair.in_layers) * 1e3,
                median(pair.alone) * 1e3, pair.ratio());
  }
  std::printf(
      "%d of %d rows of at least %g ms deviate by more than %g %% from their ops alone; sums of all: %.2f ms in "
      "`layers`, %.2f ms alone\n",
      off, checked, settings.least_row * 1e3, settings.tolerance, sum_layers * 1e3, sum_alone * 1e3);
  return off == 0;
}

bool run(const Settings& settings) {
  const bench::ChosenModel chosen = bench::choose_model(settings.model);
  const graph::DType dtype = bench::type_of_precision(settings.model.precision);
  const graph::Graph model = graph::in_channel_blocks(graph::in_precision(chosen.build(), dtype),
                                                      kernels::channel_block(settings.device, dtype));
  const auto cores = platform::allowed_cores();
  const int threads =
      std::min(settings.model.threads.value_or(static_cast<int>(cores.size())), static_cast<int>(cores.size()));
  const platform::BoundCores bound(cores, 0, threads);
  kernels::DeviceOptions options;
  options.threads = threads;
  const auto device = kernels::make_device(settings.device, options);
  const bench::LayerTimer timer(model, *device, true);
  Rows rows = rows_of(timer.graph(), settings.only);
  if (rows.empty()) throw InputError(fmt::format("--only {}: a step of {} has no such op", settings.only, model.name));
  if (settings.bind_alone) {
    bind_all(rows, *device);
    return true;
  }
  if (settings.candidates) {
    std::vector<kernels::Binding> bindings;
    for (const auto& [description, row] : rows) bindings.push_back(row.binding);
    std::printf("%s\n", micro::candidate_times(*device, bindings).c_str());
    return true;
  }
  const bench::ChoiceCache kept(*device);
  bench::PeakProbe probe(*device, dtype);
  time_rows(rows, *device, probe, settings.seconds);
  const std::string choices = bench::store_new_choices(*device, kept);
  if (device->choices() != nullptr) std::cerr << choices << '\n';
  std::printf("%s, batch %lld, %s, on %s: %s\n\n%s\n%s\n", model.name.c_str(),
              static_cast<long long>(chosen.request.batch), settings.model.precision.c_str(), device->kind().c_str(),
              device->description().c_str(), table(rows).c_str(), roofline(rows).c_str());
  print_peaks(rows);
  return settings.tolerance == 0 || check(timer, rows, *device, settings);
}

void leave_environment(const std::string& path, int argc, const char* const* argv) {
  auto environment = bench::describe_environment();
  environment["when"] = bench::utc_now();
  environment["command"] = std::vector<std::string>(argv, argv + argc);
  bench::write_file_atomically(path, environment.dump(2) + "\n");
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  CLI::App app("Every op of a model's training step, alone, at the model's shapes");
  app.add_option("--model", settings.model.model)->required();
  app.add_option("--option", settings.model.options, "Model setting, NAME=VALUE");
  app.add_option("--input", settings.model.input, "Sizes of one sample");
  app.add_option("--batch", settings.model.batch);
  app.add_option("--device", settings.device);
  app.add_option("--threads", settings.model.threads);
  app.add_option("--precision", settings.model.precision);
  app.add_option("--only", settings.only, "Kinds of ops whose names contain this");
  app.add_option("--seconds", settings.seconds, "Time spent on each op");
  app.add_option("--check", settings.tolerance,
                 "Compare with the rows of `ddlbench layers`; the largest deviation allowed, in percent");
  app.add_flag("--bind", settings.bind_alone, "Bind all ops and print how long that took, without timing the ops");
  app.add_flag("--candidates", settings.candidates,
               "Autotune all ops and print the times of their candidates, without timing the ops");
  app.add_option("--environment", settings.environment, "Write the machine, build and command to this file");
  CLI11_PARSE(app, argc, argv);
  if (settings.tolerance > 0 && !settings.only.empty()) {
    std::fprintf(stderr, "--check compares all ops: leave --only out\n");
    return 2;
  }
  try {
    if (!settings.environment.empty()) leave_environment(settings.environment, argc, argv);
    return run(settings) ? 0 : 1;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
