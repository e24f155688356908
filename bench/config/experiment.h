#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/config/location.h"
#include "comm/communicator.h"
#include "graph/option.h"

namespace ddlbench::bench {

/// A `{kind, …}` of the configuration: a name and its settings, defaults filled in.
struct Choice {
  std::string kind;
  graph::OptionValues options;
};

struct Workload {
  Choice model;
  Choice dataset;
  std::vector<std::int64_t> global_batch;  ///< a sweep
};

struct OptimizerChoice {
  std::string kind;  ///< "sgd", "adam"
  double learning_rate = 0;
  double momentum = 0;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// What a training is to reach in a validation; where both are given, both.
struct Target {
  std::optional<double> loss;      ///< at most
  std::optional<double> accuracy;  ///< at least, a share
};

struct Training {
  std::int64_t epochs = 1;
  std::vector<std::uint64_t> seed;  ///< a sweep
  std::string precision;            ///< "fp32", "tf32"
  OptimizerChoice optimizer;
  Target target;
};

struct Devices {
  std::string kind;                          ///< "cpu", "reference", "cuda"; "auto" until it is chosen
  std::string transport;                     ///< that starts the ranks: "threads", "mpi"
  std::vector<int> ranks;                    ///< a sweep
  int threads_per_rank = 0;                  ///< 0: cores / ranks, at least one
  std::optional<std::int64_t> memory_bytes;  ///< that a rank may use
  std::string collectives = "auto";          ///< an algorithm's name, or "auto": whichever is timed best
  comm::Throttle throttle = {};
  std::string channel = "";  ///< that carries tensors between devices in place of the transport: "nccl"; empty: none
  bool apart = false;        ///< the kind's devices have cores and memory of their own: GPUs
  int seen = 0;              ///< devices apart, on the machine on which the kind was chosen

  /// As the configuration and the rows call it.
  const std::string& carrier() const { return channel.empty() ? transport : channel; }
};

struct StrategyChoice {
  std::string pointer;  ///< where it stands: "/strategies/0"
  Choice choice;
  std::vector<int> ranks;  ///< in place of those of the devices; empty where it has none of its own
  std::string label;       ///< what the table calls it: the kind and the settings that differ from their defaults
  std::string expect;      ///< the status that counts as success: "ok" unless said
};

struct Measure {
  int warmup_steps = 3;
  int steps = 20;
  int repetitions = 3;
  int verify_steps = 5;
  double timeout_seconds = 60;      ///< without any progress of a case
  bool certificates_alone = false;  ///< time no step, train no epoch: of `ddlbench verify`, not of the configuration
};

/// A configuration, valid and whole.
struct Experiment {
  std::string file;      ///< that it was read from
  std::string resolved;  ///< the same as JSON, defaults and overrides filled in: reading it gives the same cases
  std::map<std::string, Location> locations;  ///< of what was written, by JSON pointer
  std::string name;
  Workload workload;
  Training training;
  Devices devices;
  std::vector<StrategyChoice> strategies;
  Measure measure;
};

/// One run: a point of every sweep. Case ids are stable for equal configurations.
struct Case {
  std::string id;  ///< "003-ddp-r2"
  StrategyChoice strategy;
  std::string family;
  int ranks = 1;
  int threads_per_rank = 1;
  bool oversubscribed = false;  ///< ranks × threads exceed the cores of this machine
  bool shares_devices = false;  ///< more ranks than devices apart from the host, in one process
  std::int64_t global_batch = 0;
  std::uint64_t seed = 0;
  std::string contract_id;    ///< hash of what must be equal for two rows to be ranked against each other
  std::string scaling_id;     ///< the same without the global batch
  std::string unsupported;    ///< why it cannot run; empty where it can
  std::string out_of_memory;  ///< why its plan does not fit; empty where nothing was found against it
};

}  // namespace ddlbench::bench
