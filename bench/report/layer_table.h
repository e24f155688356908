#pragma once

#include <string>
#include <vector>

#include "bench/case/layer_times.h"
#include "bench/case/peaks.h"
#include "bench/report/layers.h"

namespace ddlbench::bench {

/// A layer, what it takes on a device, and the device's peak.
struct TimedLayer {
  std::string device;  ///< its kind
  Layer layer;
  LayerTimes times;
  bool backward = true;  ///< timed, too
  double peak_flops_per_second = 0;

  double flops() const;  ///< of what was timed
};

/// Layers with their times on a device of the kind, in their order.
std::vector<TimedLayer> timed_layers(const std::string& device, std::vector<Layer> layers,
                                     const std::vector<LayerTimes>& times, bool backward, const Peaks& peaks);

/// Sums, but for the workspace, which is the largest: layers use it one after another. Its name is "total".
TimedLayer total_of(const std::vector<TimedLayer>& layers);

/// A table for people, in milliseconds, the total in its last row.
std::string layer_table_text(const std::vector<TimedLayer>& layers);
/// Of several devices, each in the order of its layers: the milliseconds of each beside the first's, and how many times
/// longer the first takes. Rows are the first's; layers that it has not (another layout's) are among the others' totals
/// alone.
std::string layers_side_by_side(const std::vector<std::vector<TimedLayer>>& devices);
/// Of one device after another, with its total in its last row; what was not timed is empty.
std::string layer_table_csv(const std::vector<std::vector<TimedLayer>>& devices);

}  // namespace ddlbench::bench
