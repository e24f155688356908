#pragma once

#include <ostream>
#include <vector>

#include "bench/command/arguments.h"
#include "bench/command/case_compiler.h"
#include "bench/config/choose_devices.h"
#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// The experiment that the arguments name, and the cases of it that they choose.
struct ChosenCases {
  Experiment experiment;
  std::vector<Case> cases;
  ChosenDevices devices;
};

/// Reads and expands the configuration, and finds out which cases cannot run. Throws InputError, and
/// ConfigError where a strategy can run nowhere; BadData where the samples cannot be read. What needs the devices
/// calls require_devices().
ChosenCases choose_cases(const Arguments& arguments, int cores);
/// For the cores that this process may use.
ChosenCases choose_cases(const Arguments& arguments);

/// Says on `err` what `auto` took. Throws ConfigError where the machine lacks what the configuration wants.
void announce_devices(const Experiment& experiment, const ChosenDevices& devices, std::ostream& err);

}  // namespace ddlbench::bench
