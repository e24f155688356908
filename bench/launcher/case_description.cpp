#include "bench/launcher/case_description.h"

#include <fmt/core.h>
#include <string>
#include <vector>

#include "base/join.h"
#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

std::string text_of(const comm::Stall& stall) {
  std::string text = fmt::format("link of rank {} stalls", *stall.rank);
  if (stall.seconds > 0) text += fmt::format(" for {:g} s", stall.seconds);
  if (stall.after_seconds > 0) text += fmt::format(" after {:g} s", stall.after_seconds);
  if (stall.after_bytes > 0) text += fmt::format(" after {} B", stall.after_bytes);
  return text;
}

/// Describes a throttle; empty if nothing is slowed down.
std::string text_of(const Throttle& throttle) {
  const comm::Throttle& link = throttle.link;
  std::vector<std::string> parts;
  if (link.latency_seconds > 0 || link.bytes_per_second > 0) {
    parts.push_back(fmt::format("{:g} s", link.latency_seconds));
  }
  if (link.bytes_per_second > 0) parts.push_back(fmt::format("{:g} B/s", link.bytes_per_second));
  if (link.jitter_seconds > 0) parts.push_back(fmt::format("jitter {:g} s", link.jitter_seconds));
  if (link.stall.rank) parts.push_back(text_of(link.stall));
  if (throttle.slowdown > 1) {
    parts.push_back(fmt::format("rank {} computes {:g} times as long", throttle.slow_rank, throttle.slowdown));
  }
  return joined(parts, ", ");
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
