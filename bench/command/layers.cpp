#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/names.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/case/kernel_choices.h"
#include "bench/case/layer_times.h"
#include "bench/case/peaks.h"
#include "bench/case/precision.h"
#include "bench/command/chosen_model.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/records/file.h"
#include "bench/report/layer_table.h"
#include "kernels/device.h"
#include "platform/bound_cores.h"

namespace ddlbench::bench {
namespace {

/// Returns the kind of device. Throws InputError if this machine has no such device.
const kernels::DeviceKind& kind_of_device(const std::string& name) {
  const kernels::DeviceKind& kind = find_named(kernels::device_kinds(), name, "device");
  const kernels::DeviceCount count = kind.count();
  if (count.devices == 0) throw InputError(fmt::format("--device {}: not available here: {}", name, count.why_none));
  return kind;
}

/// Times the model's layers, prints the table and returns its rows.
std::vector<TimedLayer> time_on(const kernels::DeviceKind& kind, const ChosenModel& chosen, const Arguments& arguments,
                                int threads, std::ostream& out, std::ostream& err) {
  const graph::DType dtype = type_of_precision(arguments.precision);
  const graph::Graph model =
      graph::in_channel_blocks(graph::in_precision(chosen.build(), dtype), kernels::channel_block(kind.name, dtype));
  kernels::DeviceOptions options;
  options.threads = threads;
  const auto device = kind.make(options);
  const ChoiceCache kept(*device);
  PeakProbe probe(*device, dtype);
  const bool backward = !arguments.forward_only;
  const auto times = time_layers(model, *device, backward, [&](std::size_t layer) {
    probe.measure_products();
    if (!arguments.quiet) err << "timing " << printable(model.nodes[layer].name) << '\n';
  });
  probe.measure_products();
  const std::string choices = store_new_choices(*device, kept);
  if (!arguments.quiet && device->choices() != nullptr) err << "kernels: " << choices << '\n';
  const Peaks& peak = probe.best();
  std::vector<TimedLayer> layers = timed_layers(kind.name, layers_of(model), times, backward, peak);
  out << printable(model.name) << ", batch " << chosen.request.batch << ", samples "
      << to_string(chosen.request.shape.sample) << ", " << arguments.precision << ", on " << device->kind() << ": "
      << device->description() << "\n\n"
      << layer_table_text(layers) << "\npeak: " << format_ratio(peak.flops_per_second * 1e-9)
      << " GFLOP/s, from the fastest product of two matrices of " << graph::name(dtype) << ", " << peak.size << "x"
      << peak.size << '\n';
  return layers;
}

}  // namespace

int layers_command(const Arguments& arguments, std::ostream& out, std::ostream& err) {
  std::vector<const kernels::DeviceKind*> kinds;
  for (const std::string& name : arguments.devices) kinds.push_back(&kind_of_device(name));
  const ChosenModel chosen = choose_model(arguments);
  type_of_precision(arguments.precision);
  const auto cores = platform::allowed_cores();
  const int threads = arguments.threads.value_or(static_cast<int>(cores.size()));
  if (threads > static_cast<int>(cores.size())) {
    throw InputError(fmt::format("--threads {}: this process may use only {}", threads, counted(cores.size(), "core")));
  }
  if (!arguments.csv.empty()) require_writable(arguments.csv);
  const platform::BoundCores bound(cores, 0, threads);
  std::vector<std::vector<TimedLayer>> timed;
  for (const kernels::DeviceKind* kind : kinds) {
    if (!timed.empty()) out << '\n';
    timed.push_back(time_on(*kind, chosen, arguments, threads, out, err));
  }
  if (timed.size() > 1) out << '\n' << layers_side_by_side(timed);
  if (!arguments.csv.empty()) write_file_atomically(arguments.csv, layer_table_csv(timed));
  return exit_code::ok;
}

}  // namespace ddlbench::bench
