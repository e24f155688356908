#include "bench/launcher/case_description.h"

#include <fmt/core.h>

#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

/// Describes a throttle; empty if links are not slowed down.
std::string text_of(const comm::Throttle& throttle) {
  if (!throttle.any()) return "";
  const std::string latency = fmt::format("{:g} s", throttle.latency_seconds);
  return throttle.bytes_per_second > 0 ? fmt::format("{}, {:g} B/s", latency, throttle.bytes_per_second) : latency;
}

}  // namespace

CaseRecord describe_case(const Experiment& experiment, const Case& which) {
  CaseRecord record;
  record.experiment = experiment.name;
  record.case_id = which.id;
  record.contract_id = which.contract_id;
  record.scaling_id = which.scaling_id;
  record.replicate_id = which.replicate_id;
  record.seed = which.seed;
  record.expect = which.strategy.expect;
  const Workload& workload = experiment.workload;
  record.workload = workload.derived.label.empty() ? workload.model.kind : workload.derived.label;
  record.dataset = experiment.workload.dataset.kind;
  record.strategy = which.strategy.label;
  record.family = which.family;
  record.ranks = which.ranks;
  record.threads_per_rank = which.threads_per_rank;
  record.oversubscribed = which.oversubscribed;
  record.transport = experiment.devices.transport_choice();
  record.throttle = text_of(experiment.devices.throttle);
  record.device = experiment.devices.kind;
  record.host = platform::host_name();
  record.precision = experiment.training.precision;
  record.optimizer = experiment.training.optimizer.kind;
  record.global_batch = which.global_batch;
  record.epochs = experiment.training.epochs;
  record.target = describe(experiment.training.target);
  if (!which.settings.empty()) record.settings = which.settings;
  return record;
}

}  // namespace ddlbench::bench
