#include "bench/case/rank_accounts.h"

#include <fmt/core.h>

#include "base/error.h"
#include "runtime/step_scalars.h"

namespace ddlbench::bench {
namespace {

void require_equal(int rank, const std::string& what, std::int64_t found, std::int64_t planned) {
  require(found == planned, "rank {}: {}: {} bytes, but the plan has {}", rank, what, found, planned);
}

}  // namespace

void require_as_planned(Trainer& trainer, const Counted& counted) {
  const int rank = trainer.rank();
  const program::Account account = program::account(trainer.plan(), rank);
  const runtime::Counters counters = trainer.engine().counters();
  require_equal(rank, "the device's arena", counters.arena_bytes, account.arena_bytes);
  for (std::size_t i = 0; i < account.persistent_bytes_by_class.size(); ++i) {
    const auto memory_class = static_cast<program::MemoryClass>(i);
    const auto found = counters.allocated_bytes.find(memory_class);
    require_equal(rank, "the memory that the device allocated for " + std::string(program::name(memory_class)),
                  found == counters.allocated_bytes.end() ? 0 : found->second, account.persistent_bytes_by_class[i]);
  }
  const program::Program& training = trainer.plan().role(rank).train;
  const std::int64_t scalars = runtime::StepScalars::unplanned_bytes(training);
  require_equal(rank, "all memory that the device allocated, except unplanned scalars", counters.device_bytes - scalars,
                account.peak_bytes);

  comm::SentBytes planned;
  const auto steps = static_cast<std::int64_t>(counted.steps.size());
  std::vector<std::int64_t> runs(training.bodies.size(), 0);
  for (const MeasuredStep& step : counted.steps) ++runs.at(static_cast<std::size_t>(step.timeline.body));
  for (const auto& [operation, bytes] : program::sent_in_runs(trainer.plan(), rank, runs)) planned[operation] += bytes;
  for (const auto& [operation, bytes] : counted.sent_bytes) planned[operation] += 0;
  for (const auto& [operation, bytes] : planned) {
    const auto found = counted.sent_bytes.find(operation);
    require_equal(rank, fmt::format("traffic of {} in {} steps", operation, steps),
                  found == counted.sent_bytes.end() ? 0 : found->second, bytes);
  }
}

std::vector<program::Account> accounts_of(const program::Plan& plan) {
  std::vector<program::Account> accounts;
  for (int rank = 0; rank < plan.ranks(); ++rank) accounts.push_back(program::account(plan, rank));
  return accounts;
}

std::vector<RankRecord> rank_records(const Trainer& trainer, const MeasuredCase& measured) {
  const program::Plan& plan = trainer.plan();
  std::vector<RankRecord> records;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const program::Account& account = measured.accounts.at(index);
    RankRecord record;
    record.case_id = trainer.setup().which.id;
    record.rank = rank;
    record.role = plan.role(rank).name;
    record.budget = measured.times.ranks.at(index);
    for (std::size_t i = 0; i < account.peak_bytes_by_class.size(); ++i) {
      const auto memory_class = static_cast<program::MemoryClass>(i);
      record.peak_bytes[std::string(program::name(memory_class))] = account.peak_bytes_by_class[i];
      record.at_peak_bytes[std::string(program::name(memory_class))] = account.bytes_by_class_at_peak[i];
    }
    record.sent_bytes.insert(account.sent_bytes.begin(), account.sent_bytes.end());
    record.flops_per_step = measured.counts.at(index).flops;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace ddlbench::bench
