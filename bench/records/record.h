#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::bench {

inline constexpr int schema_version = 1;

enum class Status {
  ok,
  failed,
  crashed,
  out_of_memory,
  timed_out,
  non_finite,
  lost_rank,
  bad_data,
  unsupported,
  interrupted,
  skipped
};

std::string_view name(Status status);
std::optional<Status> parse_status(std::string_view name);

/// Seconds of a step, by what they went to; the parts sum to the step.
struct BudgetRecord {
  double forward = 0, backward = 0, recompute = 0, communication = 0, bubble = 0, optimizer = 0, input = 0, rest = 0;
};

/// What the simulator says of a step.
struct PredictionRecord {
  double step_seconds = 0;
  BudgetRecord budget;  ///< mean over ranks
  std::int64_t peak_memory_bytes = 0;
};

/// What a process of a case has of the host's memory: of a case's processes the one whose residents exceed what is
/// planned by most. Training is from the first drawn weight on, with validations and checkpoints; the case is all that
/// comes before, too.
struct HostMemoryRecord {
  std::int64_t loader_bytes = 0;                      ///< batches read ahead
  std::optional<std::int64_t> heap_peak_bytes;        ///< of training; empty where the heap is not counted
  std::optional<std::int64_t> case_heap_peak_bytes;   ///< the same of the case
  std::optional<std::int64_t> resident_peak_bytes;    ///< of training; empty where the system cannot tell
  std::optional<std::int64_t> resident_excess_bytes;  ///< of that, beyond devices' memory and the loaders'
  std::int64_t case_resident_peak_bytes = 0, resident_base_bytes = 0;  ///< base: before the case
};

/// A row of epochs.csv. An empty optional is an empty cell, which is not 0.
struct EpochRecord {
  std::string case_id;
  int epoch = 0;
  double epoch_seconds = 0;
  double validation_seconds = 0;
  double train_loss = 0;
  double validation_loss = 0;
  double accuracy_ratio = 0;
  double top5_accuracy_ratio = 0;
  std::optional<double> perplexity;
  double elapsed_seconds = 0;
  std::optional<double> loss_scale;           ///< these two of fp16: after its last step,
  std::optional<std::int64_t> skipped_steps;  ///< and of all steps since the training began
};

/// A row of ranks.csv.
struct RankRecord {
  std::string case_id;
  int rank = 0;
  std::string role;
  BudgetRecord budget;
  std::map<std::string, std::int64_t> peak_bytes;  ///< by memory class
  std::map<std::string, std::int64_t> sent_bytes;  ///< by operation, per step
  double flops_per_step = 0;
};

/// A row of utilisation.csv: a moment of a case, and the machine in the time since its row before. What is
/// of that time is empty in a case's first row.
struct UtilisationRecord {
  std::string case_id;
  double elapsed_seconds = 0;
  std::optional<double> cpu_user_ratio, cpu_system_ratio, cpu_idle_ratio, cpu_iowait_ratio;  ///< of all cores
  std::int64_t resident_bytes = 0;  ///< these three of the case's processes
  std::int64_t threads = 0;
  std::int64_t processes = 0;
  std::optional<std::int64_t> network_received_bytes, network_sent_bytes, loopback_bytes;
  std::optional<double> gpu_utilisation_ratio;   ///< these three of the GPUs that the case uses: the mean, …
  std::optional<std::int64_t> gpu_memory_bytes;  ///< … and sums
  std::optional<double> gpu_power_watts;
};

/// What a case's process found out; identification and comparison columns are added by the supervisor.
/// `repetitions` is 0 where no step was timed, `epoch_seconds_source` empty where no epoch was trained.
struct Measurement {
  std::string promise, mesh, device_name;
  int microbatches = 1;
  double epoch_seconds = 0;
  std::string epoch_seconds_source;  ///< "measured", "extrapolated"
  int repetitions = 0;
  double step_seconds = 0, step_seconds_low = 0, step_seconds_high = 0;
  double samples_per_second = 0;
  std::int64_t peak_memory_bytes = 0;
  std::optional<HostMemoryRecord> host_memory;  ///< where an epoch was trained
  double final_train_loss = 0, final_validation_loss = 0, final_accuracy_ratio = 0;
  std::optional<double> final_perplexity;
  std::optional<double> certificate_loss, certificate_gradient, certificate_update;  ///< max relative errors
  std::optional<double> noise_loss, noise_gradient, noise_update;
  std::optional<double> tolerance_loss, tolerance_gradient, tolerance_update;
  bool certified = false;
  std::string certificate_reason;  ///< why it is empty, or which part failed
  std::optional<std::int64_t> batch_statistics_samples;
  BudgetRecord budget;  ///< mean over ranks
  std::int64_t sent_bytes_per_rank_per_step = 0;
  bool sent_bytes_nominal = false;             ///< some went by the transport's own collectives, which count by formula
  std::string collectives;                     ///< "all_reduce: ring", by kind where there are several
  std::string peculiar_kernels;                ///< "winograd: 12": how many of those chosen; empty: none
  std::optional<PredictionRecord> prediction;  ///< empty where none could be made: the case's log says why
  std::optional<int> devices;                  ///< apart from the host's cores (GPUs), that the ranks computed on
  bool devices_shared = false;                 ///< by several ranks
  double launches_per_rank_per_step = 0;       ///< of ops, in the mean
  std::string launch_mode;                     ///< how steps were put on the device: "graph", or "no graph: " and why
  std::optional<double> certificate_statistic, noise_statistic, tolerance_statistic;  ///< of models with statistics
  std::optional<double> final_loss_scale;                                             ///< these two of fp16
  std::optional<std::int64_t> skipped_steps;  ///< of the training, a resumed checkpoint's included
  std::optional<std::string> trace_failure;   ///< why the trace of a step could not be written, where it could not
};

/// A row of cases.csv, its comparison columns aside: they need the other rows.
struct CaseRecord {
  std::string experiment, case_id, contract_id, scaling_id;
  std::uint64_t seed = 0;
  Status status = Status::skipped;
  std::string status_reason;  ///< empty for ok, unless something else was expected, or the trace was not written
  std::string expect = "ok";  ///< the status that counts as success
  std::string workload, dataset, strategy, family;
  int ranks = 1;
  int threads_per_rank = 1;
  bool oversubscribed = false;
  std::string transport, device, host, precision, optimizer;
  std::string throttle;  ///< "1e-4 s, 1.25e8 B/s"; empty where the links are as fast as they are
  std::int64_t global_batch = 0;
  std::int64_t epochs = 0;
  std::string target;                       ///< "loss 0.5", "accuracy 0.9", both joined by " and "; empty: none was set
  std::optional<double> seconds_to_target;  ///< of training alone, to the end of the epoch that reached it
  std::optional<std::int64_t> epochs_to_target;
  std::optional<Measurement> measurement;  ///< of an ok case alone
};

/// An exact strategy was held against the reference and is not the same training, or nothing was proved by that.
bool certificate_failed(const CaseRecord& record);

/// It was held against the reference, and is as near as its tolerances want it, but these are too wide to prove
/// anything.
bool certificate_proves_nothing(const Measurement& measurement);

/// Its ranks were in each other's way: more busy threads than cores, or several ranks on a GPU. Its step time is not
/// ranked.
bool shares_resources(const CaseRecord& record);

/// Another outcome was expected than the one that came. Of unsupported and skipped cases never.
bool is_unexpected(const CaseRecord& record);

/// What makes a run's exit code 1: an unexpected outcome, or a failed certificate.
bool is_failure(const CaseRecord& record);

}  // namespace ddlbench::bench
