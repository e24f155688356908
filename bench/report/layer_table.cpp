#include "bench/report/layer_table.h"

#include <fmt/core.h>
#include <algorithm>
#include <optional>

#include "base/units.h"
#include "bench/records/csv.h"
#include "bench/report/grid.h"

namespace ddlbench::bench {
namespace {

/// Returns nothing if there is no computation: for a view, or for the backward pass in a table of the forward pass.
std::optional<double> timed(double seconds) {
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

std::optional<double> rate_of(const TimedLayer& layer) {
  const double flops = layer.flops(), seconds = layer.times.seconds();
  return flops > 0 && seconds > 0 ? std::optional(flops / seconds) : std::nullopt;
}

std::optional<double> share_of(const TimedLayer& layer) {
  const auto rate = rate_of(layer);
  return rate ? std::optional(*rate / layer.peak_flops_per_second) : std::nullopt;
}

/// Formats to a tenth of a microsecond, so that columns can be compared and summed by eye.
std::string milliseconds(double seconds) {
  return seconds > 0 ? fmt::format("{:.4f}", seconds * 1e3) : "";
}

std::string size(std::int64_t bytes) {
  return bytes > 0 ? format_bytes(bytes) : "";
}

std::vector<std::string> header(bool backward) {
  std::vector<std::string> cells{"layer", "op", "output", "forward ms"};
  if (backward) cells.insert(cells.end(), {"backward-input ms", "backward-weight ms", "sum ms"});
  cells.insert(cells.end(), {"GFLOP/s", "of peak", "output bytes", "workspace"});
  return cells;
}

std::vector<std::string> row(const TimedLayer& timed) {
  const LayerTimes& times = timed.times;
  std::vector<std::string> cells{timed.layer.name, timed.layer.op, timed.layer.output,
                                 milliseconds(times.forward_seconds)};
  if (timed.backward) {
    for (const double seconds : {times.backward_input_seconds, times.backward_weight_seconds, times.seconds()})
      cells.push_back(milliseconds(seconds));
  }
  const auto rate = rate_of(timed), share = share_of(timed);
  cells.push_back(rate ? format_ratio(*rate * 1e-9) : "");
  cells.push_back(share ? format_ratio(*share * 100) + " %" : "");
  cells.push_back(size(timed.layer.output_bytes));
  cells.push_back(size(times.workspace_bytes));
  return cells;
}

}  // namespace

double TimedLayer::flops() const {
  return layer.forward_flops + (backward ? layer.backward_input_flops + layer.backward_weight_flops : 0);
}

std::vector<TimedLayer> timed_layers(const std::string& device, std::vector<Layer> layers,
                                     const std::vector<LayerTimes>& times, bool backward, const Peaks& peaks) {
  std::vector<TimedLayer> timed;
  for (std::size_t i = 0; i < layers.size(); ++i)
    timed.push_back({device, std::move(layers[i]), times.at(i), backward, peaks.flops_per_second});
  return timed;
}

TimedLayer total_of(const std::vector<TimedLayer>& layers) {
  TimedLayer total;
  std::vector<Layer> all;
  for (const TimedLayer& one : layers) {
    all.push_back(one.layer);
    total.device = one.device;
    total.times.forward_seconds += one.times.forward_seconds;
    total.times.backward_input_seconds += one.times.backward_input_seconds;
    total.times.backward_weight_seconds += one.times.backward_weight_seconds;
    total.times.workspace_bytes = std::max(total.times.workspace_bytes, one.times.workspace_bytes);
    total.backward = one.backward;
    total.peak_flops_per_second = one.peak_flops_per_second;
  }
  total.layer = total_of(all);
  return total;
}

std::string layer_table_text(const std::vector<TimedLayer>& layers) {
  const TimedLayer total = total_of(layers);
  const auto cells = header(total.backward);
  std::vector<Grid::Align> columns(cells.size(), Grid::Align::right);
  std::fill_n(columns.begin(), 3, Grid::Align::left);
  Grid grid(columns);
  grid.add(cells);
  for (const TimedLayer& layer : layers) grid.add(row(layer));
  grid.add(row(total));
  return grid.text(0);
}

std::string layers_side_by_side(const std::vector<std::vector<TimedLayer>>& devices) {
  std::vector<std::vector<TimedLayer>> tables = devices;
  for (auto& table : tables) table.push_back(total_of(table));
  std::vector<std::string> head{"layer", "op"};
  for (const auto& table : tables) {
    const std::string& device = table.front().device;
    head.push_back(device + " forward ms");
    if (table.front().backward) head.push_back("backward ms");
    if (&table != &tables.front()) head.push_back("ratio");
  }
  std::vector<Grid::Align> columns(head.size(), Grid::Align::right);
  std::fill_n(columns.begin(), 2, Grid::Align::left);
  Grid grid(columns);
  grid.add(head);
  for (const TimedLayer& first : tables.front()) {
    std::vector<std::string> cells{first.layer.name, first.layer.op};
    for (const auto& table : tables) {
      const auto found = std::find_if(table.begin(), table.end(),
                                      [&](const TimedLayer& one) { return one.layer.name == first.layer.name; });
      const LayerTimes times = found == table.end() ? LayerTimes{} : found->times;
      cells.push_back(milliseconds(times.forward_seconds));
      if (first.backward) cells.push_back(milliseconds(times.backward_input_seconds + times.backward_weight_seconds));
      if (&table == &tables.front()) continue;
      const bool both = times.seconds() > 0 && first.times.seconds() > 0;
      cells.push_back(both ? format_ratio(first.times.seconds() / times.seconds()) : "");
    }
    grid.add(cells);
  }
  return grid.text(0);
}

std::string layer_table_csv(const std::vector<std::vector<TimedLayer>>& devices) {
  using Row = TimedLayer;
  static const std::vector<Column<Row>> columns{
      {"device", [](const Row& r) { return cell(r.device); }},
      {"layer", [](const Row& r) { return cell(r.layer.name); }},
      {"op", [](const Row& r) { return cell(r.layer.op); }},
      {"attributes", [](const Row& r) { return cell(r.layer.attributes); }},
      {"output", [](const Row& r) { return cell(r.layer.output); }},
      {"forward_seconds", [](const Row& r) { return cell(timed(r.times.forward_seconds)); }},
      {"backward_input_seconds", [](const Row& r) { return cell(timed(r.times.backward_input_seconds)); }},
      {"backward_weight_seconds", [](const Row& r) { return cell(timed(r.times.backward_weight_seconds)); }},
      {"forward_flops", [](const Row& r) { return cell(r.layer.forward_flops); }},
      {"backward_input_flops", [](const Row& r) { return cell(r.layer.backward_input_flops); }},
      {"backward_weight_flops", [](const Row& r) { return cell(r.layer.backward_weight_flops); }},
      {"flops_per_second", [](const Row& r) { return cell(rate_of(r)); }},
      {"peak_ratio", [](const Row& r) { return cell(share_of(r)); }},
      {"output_bytes", [](const Row& r) { return cell(r.layer.output_bytes); }},
      {"kept_bytes", [](const Row& r) { return cell(r.layer.kept_bytes); }},
      {"workspace_bytes", [](const Row& r) { return cell(r.times.workspace_bytes); }},
  };
  std::vector<Row> rows;
  for (const auto& layers : devices) {
    rows.insert(rows.end(), layers.begin(), layers.end());
    rows.push_back(total_of(layers));
  }
  return csv_table(columns, rows);
}

}  // namespace ddlbench::bench
