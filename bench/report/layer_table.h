#pragma once

#include <string>
#include <vector>

#include "bench/case/layer_times.h"
#include "bench/case/peaks.h"
#include "bench/report/layers.h"

namespace ddlbench::bench {

/// A layer, its times and workspace on a device, and the peak rate of the device.
struct TimedLayer {
  std::string device;  ///< the kind of device
  Layer layer;
  LayerTimes times;
  bool backward = true;  ///< whether the backward pass was timed, too
  double peak_flops_per_second = 0;

  double flops() const;  ///< of what was timed
};

/// Combines layers, in order, with their times on a device of the kind `device`.
std::vector<TimedLayer> timed_layers(const std::string& device, std::vector<Layer> layers,
                                     const std::vector<LayerTimes>& times, bool backward, const Peaks& peaks);

/// Returns the sums over the layers, named "total". The workspace is the largest one, since layers use it one after
/// another.
TimedLayer total_of(const std::vector<TimedLayer>& layers);

/// Returns a table for people, in milliseconds, with the total in the last row.
std::string layer_table_text(const std::vector<TimedLayer>& layers);
/// Compares several devices, each with its layers in order: the milliseconds of each device next to those of the first,
/// and how many times longer the first one takes. The rows are the layers of the first device. Layers that it does not
/// have (with another memory layout) only count in the totals of the others.
std::string layers_side_by_side(const std::vector<std::vector<TimedLayer>>& devices);
/// Returns one device after another, each with its total in the last row. What was not timed is empty.
std::string layer_table_csv(const std::vector<std::vector<TimedLayer>>& devices);

}  // namespace ddlbench::bench
