#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// What differs between the cases of a run, besides strategy and ranks.
struct Varying {
  bool workload = false;
  bool batch = false;
  bool seed = false;
};

Varying varying_in(const Experiment& experiment);

/// Returns an id such as "003-ddp-r2", with the model, settings, the batch and the seed where these vary:
/// "003-lenet-ddp-microbatches4-r2-bf16-b64-s1".
std::string case_id(std::size_t number, const Varying& varying, const Experiment& experiment, const Case& which);

/// Returns the settings that vary and have no column of their own in the results: "sgd momentum=0.5 workers=4".
std::string varying_settings(const Variant& variant);

}  // namespace ddlbench::bench
