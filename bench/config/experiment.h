#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "graph/option.h"
#include "json/location.h"
#include "workloads/loader_options.h"

namespace ddlbench::bench {

using graph::Choice;

struct Workload {
  Choice model;
  Choice dataset;
  std::vector<std::int64_t> global_batch;  ///< a sweep
  std::string definition = "";             ///< hash of the file that the model is read from; empty without one
  workloads::LoaderOptions loader = {};
  bool skip_corrupt = false;  ///< samples that cannot be read are left out; else they end the case
  std::string label = "";     ///< what rows call the model: its kind, and what tells it from others of that kind
  Choice data_identity = {};  ///< stands for the data set in contracts; without a kind: it does itself
};

/// One of several workloads.
struct WorkloadChoice {
  std::string pointer;        ///< where it stands: "/workload/1"
  std::string model_pointer;  ///< "/workload/1/model"
  Workload workload;
  double learning_rate = 0;
  std::string resolved;  ///< the configuration with this workload alone
};

struct OptimizerChoice {
  std::string kind;  ///< "sgd", "adam", "adamw", "lars", "lamb"
  double learning_rate = 0;
  double momentum = 0;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool nesterov = false;
  double trust = 0.001;         ///< of lars
  bool exempt_vectors = false;  ///< parameters of one dimension: from decay and from rates by layer
};

/// How the learning rate changes (bench/training/schedule.h).
struct ScheduleChoice {
  std::string kind = "constant";         ///< "step", "cosine", "polynomial"
  std::vector<std::int64_t> milestones;  ///< epochs, of "step"
  std::int64_t every_epochs = 0;         ///< of "step" in place of milestones; 0: those
  double factor = 0.1;
  double minimum = 0;
  double power = 1;
  std::int64_t warmup_steps = 0;
  std::int64_t warmup_epochs = 0;
  double warmup_start = 0;      ///< factor of the first step's rate
  std::int64_t base_batch = 0;  ///< for which the rate is meant, scaled with the global batch; 0: as it is
};

/// Of fp16 (graph/ops/loss_scale.h).
struct LossScaleChoice {
  std::string kind = "dynamic";  ///< or "fixed"
  double initial = 65536;
  int growth_interval = 2000;  ///< steady steps after which it is doubled; 0 of "fixed"
  bool operator==(const LossScaleChoice&) const = default;
};

struct TrainingLoss {
  std::string kind = "cross_entropy";  ///< or "mean_squared_error"
  double label_smoothing = 0;
};

/// What a training is to reach in a validation; where both are given, both.
struct Target {
  std::optional<double> loss;      ///< at most
  std::optional<double> accuracy;  ///< at least, a share
};

/// What a training leaves behind, and what it begins from.
struct CheckpointChoice {
  std::string save;  ///< a folder; empty: nothing is saved
  std::int64_t every_epochs = 1;
  std::string load;     ///< a file; empty: weights are drawn
  bool resume = false;  ///< that training goes on where the file was left
  std::string digest;   ///< of what is loaded, noted before the cases are made
};

struct Training {
  std::int64_t epochs = 1;
  std::vector<std::uint64_t> seed;  ///< a sweep
  std::string precision;            ///< "fp32", "tf32", "bf16", "fp16"
  OptimizerChoice optimizer;
  Target target;
  CheckpointChoice checkpoint = {};
  ScheduleChoice schedule;
  TrainingLoss loss;
  double clip_norm = 0;  ///< largest norm of a step's gradients; 0: any
  LossScaleChoice loss_scale = {};
};

struct Devices {
  std::string kind;                          ///< "cpu", "reference", "cuda"; "auto" until it is chosen
  std::string transport;                     ///< that starts the ranks: "threads", "mpi"
  std::vector<int> ranks;                    ///< a sweep
  int threads_per_rank = 0;                  ///< 0: cores / ranks, at least one
  std::optional<std::int64_t> memory_bytes;  ///< that a rank may use
  std::string collectives = "auto";          ///< an algorithm's name, or "auto": whichever is timed best
  bool deterministic = true;                 ///< these two as kernels::DeviceOptions has them
  bool winograd = true;
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
  std::map<std::string, json::Location> locations;  ///< of what was written, by JSON pointer
  std::string name;
  Workload workload;                      ///< of several the first; of_workload() takes another
  std::vector<WorkloadChoice> workloads;  ///< a sweep; empty in an experiment that is of one workload
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
  int workload = 0;             ///< which of the experiment's
  std::int64_t global_batch = 0;
  std::uint64_t seed = 0;
  std::string contract_id;          ///< hash of what must be equal for two rows to be ranked against each other
  std::string scaling_id;           ///< the same without the global batch
  std::string reference_file = "";  ///< where cases of the contract keep their reference; empty: each runs its own
  std::string unsupported;          ///< why it cannot run; empty where it can
  std::string out_of_memory;        ///< why its plan does not fit; empty where nothing was found against it
};

}  // namespace ddlbench::bench
