#pragma once

#include <fmt/core.h>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "bench/report/grid.h"
#include "kernels/choice/choices.h"
#include "kernels/device.h"

namespace ddlbench::micro {

/// Returns a table of the candidates of ops, with their shortest launches while an op was autotuned. Throws InputError
/// if the device does not choose.
inline std::string candidate_times(kernels::Device& device, const std::vector<kernels::Binding>& bindings) {
  if (device.choices() == nullptr)
    throw InputError(fmt::format("--candidates: the device {} has one kernel for each op", device.kind()));
  using enum bench::Grid::Align;
  bench::Grid grid({right, right, left, left});
  grid.add({"time", "GFLOP/s", "candidate", "op"});
  for (const kernels::Binding& binding : bindings) {
    device.bind(binding);
    const double flops = binding.op->flops(binding.inputs, binding.outputs);
    for (const auto& [work, choice] : device.choices()->take_chosen()) {
      const bool has_flops = work.starts_with(std::string(binding.op->kind()) + ' ');  // not a part of the op
      for (const auto& [candidate, seconds] : choice.timed) {
        const std::string chosen = candidate == choice.candidate ? " (chosen)" : "";
        grid.add(
            {format_seconds(seconds), has_flops ? format_ratio(flops / seconds * 1e-9) : "", candidate + chosen, work});
      }
    }
  }
  return grid.text(0);
}

}  // namespace ddlbench::micro
