#pragma once

#include <string>

namespace ddlbench::platform {

/// "AMD EPYC 9654": the processor's name as the system tells it, "unknown processor" where it does not.
std::string processor_name();

/// That, with family, model and stepping, and a digest of its features: equal where compiled and timed code runs alike.
std::string processor_identity();

}  // namespace ddlbench::platform
