#include "bench/case/measure.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "bench/case/gather.h"
#include "platform/pauses.h"

namespace ddlbench::bench {
namespace {

using runtime::Mode;

double total_flops(const runtime::Counters& counters) {
  double sum = 0;
  for (const auto& [phase, flops] : counters.flops) sum += flops;
  return sum;
}

comm::SentBytes operator-(comm::SentBytes after, const comm::SentBytes& before) {
  for (const auto& [operation, bytes] : before) after[operation] -= bytes;
  return after;
}

/// Returns room for steps like `like` of a program, so that storing a timeline allocates nothing.
std::vector<MeasuredStep> reserve(std::int64_t steps, const program::StepTimeline& like,
                                  const program::Program& program) {
  const auto [fewest, most] = std::minmax_element(program.bodies.begin(), program.bodies.end(),
                                                  [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::size_t slack = 16 + 2 * (most->size() - fewest->size());
  std::vector<MeasuredStep> kept(static_cast<std::size_t>(steps));
  for (MeasuredStep& step : kept) {
    step.timeline.spans.reserve(like.spans.size() + slack);
    step.timeline.transfers.reserve(like.transfers.size() + slack);
  }
  return kept;
}

/// The fixed-size part of a measured step, as it is sent.
struct Row {
  std::int64_t step, body, begin, end, previous_end, paused, spans, transfers;
};

/// Returns the cycles of steps in which no process was stopped; all of them if there is none.
std::vector<std::size_t> unpaused_cycles(const std::vector<std::vector<MeasuredStep>>& ranks, std::size_t cycle) {
  const std::size_t cycles = ranks.at(0).size() / cycle;
  std::vector<std::size_t> unpaused, all;
  for (std::size_t i = 0; i < cycles; ++i) {
    bool paused = false;
    for (const std::vector<MeasuredStep>& rank : ranks) {
      for (std::size_t k = i * cycle; k < (i + 1) * cycle; ++k) paused |= rank.at(k).paused;
    }
    if (!paused) unpaused.push_back(i);
    all.push_back(i);
  }
  return unpaused.empty() ? all : unpaused;
}

/// Extends a step's budget to the whole wall time: the time between two steps counts as `rest`.
program::Budget widen(program::Budget budget, const MeasuredStep& step) {
  budget.rest += static_cast<double>(step.timeline.begin - step.previous_end) * 1e-9;
  return budget;
}

}  // namespace

std::int64_t timed_steps(const Setup& setup, const program::Cadence& cadence) {
  const Measure& measure = setup.experiment.measure;
  const std::int64_t wanted =
      setup.which.visit_steps > 0 ? setup.which.visit_steps : std::int64_t{measure.steps} * measure.repetitions;
  const std::int64_t cycle = cadence.cycle_steps();
  return (wanted + cycle - 1) / cycle * cycle;
}

std::int64_t untimed_steps(const Setup& setup, const program::Cadence& cadence) {
  return std::max<std::int64_t>(setup.experiment.measure.warmup_steps, cadence.unsettled_steps());
}

Counted run_measured_steps(Trainer& trainer, Heartbeat* heartbeat) {
  const program::Cadence& cadence = trainer.plan().cadence;
  const std::int64_t warmup = untimed_steps(trainer.setup(), cadence);
  const std::int64_t steps = timed_steps(trainer.setup(), cadence);
  require(steps > 0, "a case measures at least one step");
  trainer.initialize();
  if (trainer.setup().start.steps < cadence.ramp_steps()) trainer.set_steps(cadence.ramp_steps());
  trainer.begin(Mode::train, training_order(trainer.setup(), warmup + steps));
  if (heartbeat != nullptr) heartbeat->enter(warmup > 0 ? "warm up" : "measure");  // the barrier can wait for long
  comm::run(trainer.communicator().barrier());

  const auto step_once = [&](const char* phase, const OnStep& on_step) {
    require(trainer.advance(Mode::train, phase, on_step), "the sample order is too short for the measured steps");
    if (heartbeat != nullptr) heartbeat->step(phase);
  };
  const OnStep leave = [](const Share&) {};
  for (std::int64_t i = 0; i < warmup; ++i) step_once("warm up", leave);
  trainer.finish(leave);

  Counted counted;
  counted.steps = reserve(steps, trainer.engine().timeline(), trainer.engine().role().train);
  const comm::SentBytes sent_before = trainer.sent_bytes();
  const runtime::Counters before = trainer.engine().counters();
  std::int64_t previous_end = warmup > 0 ? trainer.engine().timeline().end : 0;
  std::int64_t pauses_before = platform::pauses();
  auto next = counted.steps.begin();
  const OnStep keep = [&](const Share&) {
    next->timeline = trainer.engine().timeline();
    next->previous_end = previous_end > 0 ? previous_end : next->timeline.begin;
    previous_end = next->timeline.end;
    const std::int64_t pauses = platform::pauses();
    next->paused = pauses != std::exchange(pauses_before, pauses);
    ++next;
  };
  for (std::int64_t i = 0; i < steps; ++i) step_once("measure", keep);
  trainer.finish(keep);
  for (const MeasuredStep& step : counted.steps)
    require(step.timeline.body == cadence.body(step.timeline.step), "a step of the fill was measured");
  counted.sent_bytes = trainer.sent_bytes() - sent_before;
  const runtime::Counters after = trainer.engine().counters();
  counted.flops = total_flops(after) - total_flops(before);
  counted.launches = after.launches - before.launches;
  trainer.engine().drain(Mode::train);
  return counted;
}

std::vector<std::vector<MeasuredStep>> gather_steps(comm::Communicator& communicator,
                                                    const std::vector<MeasuredStep>& own) {
  std::vector<Row> rows;
  std::vector<program::Span> spans;
  std::vector<program::Transfer> transfers;
  for (const MeasuredStep& step : own) {
    const program::StepTimeline& t = step.timeline;
    rows.push_back({t.step, t.body, t.begin, t.end, step.previous_end, step.paused ? 1 : 0,
                    static_cast<std::int64_t>(t.spans.size()), static_cast<std::int64_t>(t.transfers.size())});
    spans.insert(spans.end(), t.spans.begin(), t.spans.end());
    transfers.insert(transfers.end(), t.transfers.begin(), t.transfers.end());
  }
  const auto all_rows = all_gather(communicator, rows);
  const auto all_spans = all_gather(communicator, spans);
  const auto all_transfers = all_gather(communicator, transfers);

  std::vector<std::vector<MeasuredStep>> ranks(all_rows.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    auto span = all_spans[rank].begin();
    auto transfer = all_transfers[rank].begin();
    for (const Row& row : all_rows[rank]) {
      program::StepTimeline timeline{row.step,
                                     row.begin,
                                     row.end,
                                     {span, span + row.spans},
                                     {transfer, transfer + row.transfers},
                                     static_cast<int>(row.body)};
      span += row.spans;
      transfer += row.transfers;
      ranks[rank].push_back({std::move(timeline), row.previous_end, row.paused != 0});
    }
  }
  return ranks;
}

std::vector<StepCounts> gather_counts(comm::Communicator& communicator, const Counted& own) {
  const auto steps = static_cast<double>(own.steps.size());
  const StepCounts mean{own.flops / steps, static_cast<double>(own.launches) / steps};
  std::vector<StepCounts> counts;
  for (const auto& rank : all_gather<StepCounts>(communicator, {mean})) counts.push_back(rank.at(0));
  return counts;
}

StepTimes step_times(const program::Plan& plan, const std::vector<std::vector<MeasuredStep>>& ranks,
                     std::uint64_t seed) {
  const auto cycle = static_cast<std::size_t>(plan.cadence.cycle_steps());
  const std::vector<std::size_t> counted = unpaused_cycles(ranks, cycle);
  std::vector<double> seconds;
  for (const std::size_t i : counted) {
    double sum = 0;
    for (const std::vector<MeasuredStep>& rank : ranks) {
      for (std::size_t k = i * cycle; k < (i + 1) * cycle; ++k)
        sum += static_cast<double>(rank[k].timeline.end - rank[k].previous_end) * 1e-9;
    }
    seconds.push_back(sum / static_cast<double>(ranks.size() * cycle));
  }
  StepTimes times;
  times.step = interquartile_mean(seconds, seed);
  times.ranks.resize(ranks.size());
  const program::BudgetSplitter splitter(plan);
  const double share = 1.0 / static_cast<double>(times.step.used.size() * cycle);
  std::vector<program::StepTimeline> timelines(ranks.size());
  const auto add = [&](std::size_t k) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) timelines[rank] = ranks[rank][k].timeline;
    const std::vector<program::Budget> budgets = splitter.split(timelines);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      times.ranks[rank] += widen(budgets[rank], ranks[rank][k]) * share;
    }
  };
  for (const std::size_t used : times.step.used)
    for (std::size_t k = counted[used] * cycle; k < (counted[used] + 1) * cycle; ++k) add(k);
  for (const program::Budget& budget : times.ranks) times.mean += budget * (1.0 / static_cast<double>(ranks.size()));
  return times;
}

}  // namespace ddlbench::bench
