#pragma once

#include <map>
#include <string>

namespace ddlbench::bench {

/// OpenMP's threads spin for milliseconds at a barrier unless told otherwise. Where other processes want the cores
/// (`crowded`) a step of 1 ms then takes several, and they are told to spin as little as may be; else so long that a
/// step's next loop finds them awake, and no longer, because a loader wants a core, too. docs/measuring.md has figures.
///
/// The variables for that, to be set before a program starts: libgomp reads them when it is loaded. None where a person
/// has set one.
std::map<std::string, std::string> spin_variables(bool crowded);

}  // namespace ddlbench::bench
