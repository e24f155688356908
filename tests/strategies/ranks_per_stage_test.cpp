#include "strategies/passes/plan_stages.h"

#include <fmt/core.h>
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "catch.h"
#include "compiled.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/passes/stage_use.h"
#include "strategies/passes/without_flush.h"

namespace ddlbench::strategies {
namespace {

/// Calls use(parts) for every way to write `sum` as a sum of positive numbers in some order.
void each_composition(int sum, const std::function<void(const std::vector<int>&)>& use, std::vector<int> parts = {}) {
  if (sum == 0) return use(parts);
  for (int next = 1; next <= sum; ++next) {
    parts.push_back(next);
    each_composition(sum - next, use, parts);
    parts.pop_back();
  }
}

Pipeline replicated(const std::vector<int>& ranks_per_stage, int rounds = 1) {
  const int copies = std::accumulate(ranks_per_stage.begin(), ranks_per_stage.end(), 1, std::lcm<int, int>);
  Pipeline pipeline;
  pipeline.ranks = std::accumulate(ranks_per_stage.begin(), ranks_per_stage.end(), 0);
  pipeline.microbatches = rounds * copies;
  pipeline.model_copies = copies;
  pipeline.ranks_per_stage = ranks_per_stage;
  return pipeline;
}

/// Returns the heaviest block of the best division of `items` items among `block_ranks`.
double lightest(std::size_t items, const std::vector<int>& block_ranks, const ReplicatedLoad& load,
                std::size_t block = 0, std::size_t begin = 0) {
  if (block == block_ranks.size()) return begin == items ? 0 : std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t end = begin + 1; end <= items; ++end)
    best = std::min(best,
                    std::max(load(block_ranks[block], begin, end), lightest(items, block_ranks, load, block + 1, end)));
  return best;
}

OptionValues with_ranks_per_stage(const Integers& ranks_per_stage, std::int64_t microbatches) {
  return {{"ranks_per_stage", ranks_per_stage}, {"microbatches", microbatches}};
}

}  // namespace

TEST_CASE("the ranks of a stage have its copies in turn, and each copy of a stage lies on one rank") {
  for (int ranks = 1; ranks <= 7; ++ranks)
    each_composition(ranks, [&](const std::vector<int>& ranks_per_stage) {
      const Pipeline pipeline = replicated(ranks_per_stage);
      std::set<int> stages;
      for (int rank = 0; rank < ranks; ++rank)
        for (int chunk = 0; chunk < pipeline.chunks_of(rank); ++chunk) {
          const int stage = pipeline.stage_of(chunk, rank);
          CHECK(pipeline.rank_of(stage) == rank);
          CHECK(pipeline.chunk_of(rank, pipeline.copy_of(stage)) == chunk);
          stages.insert(stage);
        }
      CHECK(static_cast<int>(stages.size()) == pipeline.stages());
    });
}

TEST_CASE("schedules run stages of any numbers of ranks to the end") {
  for (const ScheduleKind& kind : schedules()) {
    if (!kind.has_ranks_per_stage) continue;
    for (int ranks = 1; ranks <= 7; ++ranks)
      each_composition(ranks, [&](const std::vector<int>& ranks_per_stage) {
        for (const int rounds : {1, 2, 5}) {
          const Pipeline pipeline = replicated(ranks_per_stage, rounds);
          const Needs needs = needs_of_chain(pipeline);
          CHECK_NOTHROW(Clock(needs, pipeline, kind.schedule));
        }
      });
  }
}

// Harlap et al. 2018, section 3.2, for the first stage.
TEST_CASE("a rank of r has as many micro-batches in flight as there are ranks from its stage on, divided by r") {
  const ScheduleKind& kind = find_schedule("1f1b");
  each_composition(6, [&kind](const std::vector<int>& ranks_per_stage) {
    const Pipeline pipeline = replicated(ranks_per_stage, 6);
    const std::vector<StageUse> uses = stage_uses(pipeline, kind.schedule);
    int from_here = 6;
    for (std::size_t stage = 0; stage < ranks_per_stage.size(); ++stage) {
      const int own = ranks_per_stage[stage];
      CHECK(uses[stage].held == std::min((from_here + own - 1) / own, pipeline.microbatches / own));
      from_here -= own;
    }
  });
}

TEST_CASE("weights of a stage of several ranks are as many updates old as its forward passes are ahead") {
  Pipeline pipeline = replicated({3, 2, 1});
  pipeline.flushes = false;
  for (const auto& [microbatches, delays] : {std::pair{6, std::vector{1, 1, 1, 1, 1, 0}}, {12, {1, 1, 1, 1, 1, 0}}}) {
    pipeline.microbatches = microbatches;
    for (int rank = 0; rank < 6; ++rank) CHECK(weight_delay(pipeline, rank) == delays[static_cast<std::size_t>(rank)]);
  }
  Pipeline behind = replicated({1, 3});  // the first rank is 3 micro-batches ahead
  behind.flushes = false;
  CHECK(weight_delay(behind, 0) == 1);
  CHECK(weight_delay(behind, 3) == 0);
}

TEST_CASE("all ranks of a stage update with the same batch, one after another") {
  each_composition(6, [](const std::vector<int>& ranks_per_stage) {
    for (const int rounds : {1, 2, 3}) {
      Pipeline pipeline = replicated(ranks_per_stage, rounds);
      pipeline.flushes = false;
      for (int rank = 0; rank < 6; ++rank) {
        const StageRanks replicas = pipeline.stage_ranks_of(rank);
        CHECK(age_of_update(pipeline, rank) == age_of_update(pipeline, replicas.first));
        const int age = age_of_update(pipeline, rank);
        const auto end_of_update = [&](int of) {
          double end = 0;
          for (const TimedWork& timed : works_without_flush(pipeline, of, {0, oldest_age(pipeline)}))
            if (timed.work.kind == Work::Kind::backward && timed.work.age == age) end = timed.begin;
          return end;
        };
        CHECK(end_of_update(rank) + wait_before_sum(pipeline, rank) ==
              end_of_update(replicas.first + replicas.count - 1));
      }
    }
  });
}

TEST_CASE("plans with stages of several ranks are correct, and only the ranks of a stage sum its gradients") {
  constexpr int layers = 6, ranks = 4;
  constexpr std::int64_t bytes_of_layer = (8 * 8 + 8) * 4;
  for (const char* strategy : {"1f1b", "gpipe", "pipedream", "pipedream_2bw"})
    for (const Integers& counts : {Integers{3, 1}, {1, 3}, {2, 2}, {1, 2, 1}, {2, 1, 1}, {4}}) {
      INFO(strategy << ", " << counts.front() << " of 4 ranks in the first of " << counts.size() << " stages");
      const program::Plan plan = compiled_layers(strategy, layers, ranks, 24, with_ranks_per_stage(counts, 12));
      CHECK(findings(plan) == "");
      std::int64_t all = 0, summed = 0;
      int rank = 0;
      for (const std::int64_t count : counts) {
        const auto bytes_of_weights = [&plan](int of) { return plan.role(of).train.buffers.front().bytes; };
        const std::int64_t bytes = bytes_of_weights(rank);
        all += bytes;
        summed += 2 * (count - 1) * bytes;  // of a ring
        for (const int last = rank + static_cast<int>(count); rank < last; ++rank)
          CHECK(bytes_of_weights(rank) == bytes);
      }
      CHECK(all == layers * bytes_of_layer);
      CHECK(sent_by_all(plan)["all_reduce"] == summed);
    }
}

TEST_CASE("ranks are divided so that the heaviest block is the lightest possible") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const std::size_t items = 1 + random() % 6;
    const int ranks = 1 + static_cast<int>(random() % 6), microbatches = 1 + static_cast<int>(random() % 12);
    std::vector<double> work, weights;
    for (std::size_t i = 0; i < items; ++i) {
      work.push_back(1 + random() % 9);
      weights.push_back(random() % 7);
    }
    const ReplicatedLoad load = [&](int of, std::size_t begin, std::size_t end) {
      const auto sum = [&](const std::vector<double>& amounts) {
        return std::accumulate(amounts.begin() + static_cast<std::ptrdiff_t>(begin),
                               amounts.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
      };
      return (sum(work) + 2 * (of - 1) * sum(weights)) / of;
    };
    double best = std::numeric_limits<double>::infinity();
    each_composition(ranks, [&](const std::vector<int>& counts) {
      if (std::all_of(counts.begin(), counts.end(), [&](int count) { return microbatches % count == 0; }))
        best = std::min(best, lightest(items, counts, load));
    });
    const std::vector<int> found = divide_ranks(items, ranks, microbatches, load);
    CHECK(found.empty() == std::isinf(best));
    if (!found.empty()) CHECK(lightest(items, found, load) == Approx(best));
  }
}

// Harlap et al. 2018, table 1: for VGG-16 on eight machines the planner gives the first layers seven, the last ones
// one.
TEST_CASE("the planner replicates layers with much work and few weights") {
  const graph::Graph training = graph::differentiate(fashion_model("vgg16", 16, {3, 64, 64}));
  const auto planned = [&training](double gigabits, int data_ranks = 1) {
    Division division;
    division.balance = Balance::time_and_communication;
    division.link_bytes_per_second = gigabits * 1e9 / 8;
    division.microbatches = 56;
    division.data_ranks = data_ranks;
    return plan_stages(training, division, 8, {});
  };
  CHECK(planned(1e5) == std::vector<int>{8});
  CHECK(planned(1) == std::vector<int>{7, 1});
  CHECK(planned(100) == std::vector<int>{8});
  CHECK(planned(100, 8) == std::vector<int>{7, 1});  // a data axis divides the work of a rank, but not its gradients
}

TEST_CASE("a plan has the stages that the planner chose") {
  const auto planned = [](const char* strategy, double gigabits) {
    return compiled_layers(strategy, 6, 4, 24,
                           {{"microbatches", std::int64_t{4}},
                            {"balance", std::string("time_and_communication")},
                            {"plan_stages", true},
                            {"link_gigabits", gigabits}});
  };
  for (const char* strategy : {"1f1b", "pipedream"})
    for (const auto& [gigabits, ranks] : {std::pair{1e5, "4"}, {0.001, "2, 2"}}) {
      INFO(strategy << " at " << gigabits);
      const program::Plan plan = planned(strategy, gigabits);
      CHECK(findings(plan) == "");
      const std::string choice = fmt::format("ranks of each stage: {}", ranks);
      CHECK(std::count(plan.choices.begin(), plan.choices.end(), choice) == 1);
    }
}

TEST_CASE("one stage on several ranks has the weights of one rank, without flush, too") {
  const program::Plan plan = compiled_layers("pipedream", 4, 3, 24, with_ranks_per_stage({3}, 3));
  CHECK(findings(plan) == "");
  CHECK(plan.promise.kind == program::Promise::Kind::exact);
}

TEST_CASE("numbers of ranks that do not fit are rejected") {
  const auto rejects = [](OptionValues options, const char* why) {
    CHECK_THROWS_WITH(compiled("1f1b", 4, 24, std::move(options)), Catch::Matchers::Contains(why));
  };
  rejects(with_ranks_per_stage({3, 1}, 4), "microbatches is 4, which does not divide among the 3 ranks of a stage");
  rejects(with_ranks_per_stage({3, 2}, 6), "ranks_per_stage 3, 2 sum to 5, but the pipeline axis has 4 ranks");
  rejects({{"plan_stages", true}}, "set balance to time_and_communication");
  rejects({{"plan_stages", true},
           {"balance", std::string("time_and_communication")},
           {"recompute", Strings{"full"}},
           {"recompute_stages", Integers{0}}},
          "plan_stages chooses the stages");
  OptionValues both = with_ranks_per_stage({3, 1}, 6);
  both["plan_stages"] = true;
  rejects(both, "set only one of ranks_per_stage and plan_stages");
  for (const char* versions : {"newest", "corrected", "predicted"}) {
    for (const std::int64_t microbatches : {1, 6}) {
      OptionValues newest = with_ranks_per_stage({3, 1}, microbatches);
      newest["weight_versions"] = std::string(versions);
      CHECK_THROWS_WITH(compiled("pipedream", 4, 24, newest),
                        Catch::Matchers::Contains("stages of several ranks need several micro-batches"));
    }
  }
  CHECK_THROWS_WITH(
      compiled("pipedream", 4, 24, {{"plan_stages", true}, {"balance", std::string("time_and_communication")}}),
      Catch::Matchers::Contains("plan_stages has no effect with one micro-batch"));
  OptionValues chunked = mesh({{"pipeline", 4}}, 6);
  chunked["ranks_per_stage"] = Integers{3, 1};
  chunked["schedule"] = std::string("interleaved");
  CHECK_THROWS_WITH(compiled("hybrid", 4, 24, chunked),
                    "ranks_per_stage has no effect with schedule 'interleaved'; leave it out, or use gpipe or 1f1b");
}

}  // namespace ddlbench::strategies
