#pragma once

#include <map>
#include <string>

namespace ddlbench::bench {

/// Returns the environment variables that limit how long OpenMP threads spin at a barrier. By default they spin for
/// milliseconds. If other processes need the cores (`crowded`), a step of 1 ms then takes several, so the threads spin
/// as little as possible. Otherwise they spin long enough to be awake for the next loop of a step, and no longer,
/// because a loader needs a core, too. docs/measuring.md has figures.
///
/// The variables must be set before a program starts, because libgomp reads them when it is loaded. Empty if the user
/// has set one of them.
std::map<std::string, std::string> spin_variables(bool crowded);

}  // namespace ddlbench::bench
