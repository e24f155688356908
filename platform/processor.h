#pragma once

#include <string>

namespace ddlbench::platform {

/// Returns the processor's name as the system reports it ("AMD EPYC 9654"), or "unknown processor".
std::string processor_name();

/// Returns the name with family, model, stepping and a digest of the features. Equal identities mean that compiled code
/// runs and performs alike.
std::string processor_identity();

}  // namespace ddlbench::platform
