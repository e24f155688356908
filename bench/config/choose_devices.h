#pragma once

#include <string>

#include "bench/config/experiment.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// The result of choosing `devices/kind` on this machine.
struct ChosenDevices {
  std::string message;  ///< which kind `auto` chose and why, in one line; empty if the kind was named
  std::string pointer;  ///< the setting that asks for something that this machine lacks
  std::string lacking;  ///< what it lacks, as a message; empty if it lacks nothing
};

/// Sets `kind`, `apart` and `seen` of the devices. `auto` chooses the first kind of accelerator of which there is a
/// device, otherwise the cpu. A kind that is named is kept; if the machine lacks it, the result says so. Throws
/// ConfigError if the configuration contradicts itself: a GPU mode, or a channel between GPUs, with a named kind that
/// is no GPU.
ChosenDevices choose_devices(Experiment& experiment, const Registries& registries);

/// Throws ConfigError if the machine lacks something. Nothing is substituted for what was asked for.
void require_devices(const Experiment& experiment, const ChosenDevices& chosen);

}  // namespace ddlbench::bench
