#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/config/devices.h"
#include "bench/config/measure.h"
#include "bench/config/strategy_choice.h"
#include "bench/config/sweep.h"
#include "bench/config/sweep_settings.h"
#include "bench/config/training.h"
#include "bench/config/workload.h"
#include "json/location.h"
#include "json/problem.h"

namespace ddlbench::bench {

/// One combination of the settings that are lists, except those that each case chooses (ranks, batches and seeds) and
/// those of strategies.
struct Variant {
  std::vector<AxisValue> axes;  ///< what was chosen, in the order of the settings
  Workload workload;
  Training training;
  Devices devices;       ///< the kind and what follows from it are in those of the experiment
  std::string resolved;  ///< the configuration with only these settings
  std::string compiled;  ///< the settings on which data, model and plans depend; equal texts: equal plans

  /// Returns the JSON pointer of what was written for a setting: "/workload/1/model" for "/workload/model".
  std::string pointer_of(const std::string& setting) const;
};

/// A valid and complete configuration. The settings come first; bench/config/settings.h explains how they are
/// described.
struct Experiment {
  std::string name;
  Workload workload;  ///< this and the next two: of the first variant; of_variant() selects another
  Training training;
  Devices devices;
  std::vector<StrategyChoice> strategies;
  Measure measure;
  SweepSettings sweep;

  json::Sources sources{""};  ///< the file that it was read from, and the arguments of --set
  std::string resolved;       ///< as JSON, with defaults and overrides filled in; reading it gives the same cases
  std::map<std::string, json::Location> locations;  ///< positions of what was written, by JSON pointer
  std::vector<Variant> variants;                    ///< empty in an experiment that is restricted to one
  Sweep combinations;                               ///< what `sweep` says, for expand()

  /// Values that are not settings.
  struct Derived {
    std::string start_digest = {};   ///< hash of the initial weights that are loaded; empty if they are drawn
    bool certificates_only = false;  ///< for `ddlbench verify`: time no steps, train no epochs
  };
  Derived derived;

  bool trains() const { return measure.train && !derived.certificates_only; }
  bool has_rounds() const { return measure.interleave && !derived.certificates_only; }
  /// Returns the longest time that the rounds of a contract may take.
  double longest_rounds_seconds() const { return has_rounds() ? measure.max_seconds : 0; }
};

template <class Visitor>
void describe(Visitor& v, Experiment& e) {
  std::string schema;  // never read
  v("$schema", schema, "JSON schema, for editors; ddlbench ignores it.");
  v.file_name("name", e.name, "Name of the experiment, and of the folder for its results.");
  v.sweep("workload", e.workload, "Models and data sets to train.");
  v("training", e.training, "Training settings, the same for every strategy.");
  v("devices", e.devices, "Devices, ranks and transport.");
  v.list("strategies", e.strategies, v.one_of("strategy", [](const auto& all) { return all.strategies; }),
         "Strategies to compare.");
  v("measure", e.measure, "Measurement and certificate settings.");
  v("sweep", e.sweep, "Combinations of the settings that are lists.");
}

/// One run: one point of all sweeps. Equal configurations give equal case ids.
struct Case {
  std::string id;  ///< "003-ddp-r2", or "003-lenet-ddp-r2-bf16-b64-s1" where model, precision, batch and seed vary
  StrategyChoice strategy;
  std::string family;
  int ranks = 1;
  int threads_per_rank = 1;
  bool oversubscribed = false;  ///< ranks × threads exceed the cores of this machine
  bool shares_devices = false;  ///< more ranks than accelerators, in one process
  int variant = 0;              ///< index into the variants of the experiment
  std::int64_t global_batch = 0;
  std::uint64_t seed = 0;
  std::string contract_id;          ///< hash of what must be equal for two rows to be ranked against each other
  std::string scaling_id;           ///< the same without the global batch
  std::string replicate_id;         ///< the same as `contract_id` without the seed
  std::string reference_file = "";  ///< file in which cases of this contract share their reference; empty: each case
                                    ///< computes its own
  std::int64_t visit_steps = 0;     ///< above 0: only time so many steps, as one visit of a round
  std::string resume_from = "";  ///< checkpoint of an earlier attempt at this case, which its training continues from;
                                 ///< empty: none
  std::string stop_file = "";    ///< the training saves a checkpoint and ends when this file exists; empty: it cannot
                                 ///< be stopped
  std::string collective_choices = "";  ///< of the case's own process, for its visits (bench/case/collectives.h)
  std::string settings = "";            ///< those that vary and have no column of their own: "workers=4"
  std::string unsupported;              ///< why it cannot run; empty if it can
  std::string out_of_memory;            ///< why its plan does not fit into memory; empty unless that is known

  bool can_run() const { return unsupported.empty() && out_of_memory.empty(); }  ///< as far as that is known
};

}  // namespace ddlbench::bench
