#pragma once

#include <ostream>
#include <vector>

#include "bench/command/arguments.h"
#include "bench/command/case_compiler.h"
#include "bench/command/expected_time.h"
#include "bench/config/choose_devices.h"
#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// The experiment that the arguments name, and its cases that they select.
struct ChosenCases {
  Experiment experiment;
  std::vector<Case> cases;
  ChosenDevices devices;
  std::vector<CaseWork> work = {};  ///< of each case; empty unless the run is dry or has a time limit. Only a dry run
                                    ///< has profiled times
};

/// Reads and expands the configuration, and determines which cases cannot run. Throws InputError; ConfigError if a
/// strategy can run nowhere; BadData if the samples cannot be read. Does not check that the devices exist: callers that
/// need them call require_devices().
ChosenCases choose_cases(const Arguments& arguments, int cores);
/// Does the same for the cores that this process may use.
ChosenCases choose_cases(const Arguments& arguments);

/// Prints to `notes` which device `auto` chose. Throws ConfigError if the machine lacks what the configuration needs.
void announce_devices(const Experiment& experiment, const ChosenDevices& devices, std::ostream& notes);

/// Prints to `notes` if ranks are not bound to cores: for commands that measure times.
void announce_binding(std::ostream& notes);

}  // namespace ddlbench::bench
