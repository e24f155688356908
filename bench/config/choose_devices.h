#pragma once

#include <string>

#include "bench/config/experiment.h"
#include "bench/config/registries.h"

namespace ddlbench::bench {

/// What became of `devices/kind` on this machine.
struct ChosenDevices {
  std::string said;     ///< which kind `auto` took, and why, in a line; empty where a kind was named
  std::string pointer;  ///< where the configuration asks for what this machine does not have …
  std::string lacking;  ///< … and what that is; empty where it has all
};

/// Fills in the devices' kind, `apart` and `seen`. `auto` takes the first kind of devices apart from the host of which
/// there are some, else the cpu; a kind that is named stays, and what is lacking is told. Throws ConfigError where the
/// configuration contradicts itself: a mode of GPUs, or a channel between them, on another kind.
ChosenDevices choose_devices(Experiment& experiment, const Registries& registries);

/// Throws ConfigError where something is lacking: nothing else takes the place of what was asked for.
void require_devices(const Experiment& experiment, const ChosenDevices& chosen);

}  // namespace ddlbench::bench
