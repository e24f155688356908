#include "strategies/passes/stage_ranks.h"

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

Pipeline replicated(const std::vector<int>& stage_ranks, int rounds = 1) {
  const int copies = std::accumulate(stage_ranks.begin(), stage_ranks.end(), 1, std::lcm<int, int>);
  Pipeline pipeline;
  pipeline.ranks = std::accumulate(stage_ranks.begin(), stage_ranks.end(), 0);
  pipeline.microbatches = rounds * copies;
  pipeline.model_copies = copies;
  pipeline.stage_ranks = stage_ranks;
  return pipeline;
}

/// Returns the heaviest of consecutive blocks of at most `items` items, as light as possible.
double lightest(std::size_t items, const std::vector<int>& block_ranks, const StageLoad& load, std::size_t block = 0,
                std::size_t begin = 0) {
  if (block == block_ranks.size()) return begin == items ? 0 : std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t end = begin + 1; end <= items; ++end)
    best = std::min(
        best, std::max(load(block_ranks[block] - 1, begin, end), lightest(items, block_ranks, load, block + 1, end)));
  return best;
}

OptionValues with_stage_ranks(const Integers& stage_ranks, std::int64_t microbatches) {
  return {{"stage_ranks", stage_ranks}, {"microbatches", microbatches}};
}

}  // namespace

TEST_CASE("the ranks of a stage have its copies in turn, and each copy of a stage lies on one rank") {
  for (int ranks = 1; ranks <= 7; ++ranks)
    each_composition(ranks, [&](const std::vector<int>& stage_ranks) {
      const Pipeline pipeline = replicated(stage_ranks);
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
    if (!kind.has_stage_ranks) continue;
    for (int ranks = 1; ranks <= 7; ++ranks)
      each_composition(ranks, [&](const std::vector<int>& stage_ranks) {
        for (const int rounds : {1, 2, 5}) {
          const Pipeline pipeline = replicated(stage_ranks, rounds);
          const Needs needs = needs_of_chain(pipeline);
          CHECK_NOTHROW(Clock(needs, pipeline, kind.schedule));
        }
      });
  }
}

// Harlap et al. 2018, section 3.2: ⌈ranks / ranks of the input stage⌉ batches in flight on each rank of it.
TEST_CASE("a rank of the first stage has as many micro-batches in flight as PipeDream says") {
  each_composition(6, [](const std::vector<int>& stage_ranks) {
    const int first = stage_ranks.front();
    CHECK(replicated(stage_ranks).backward_lag(0) / first + 1 == (6 + first - 1) / first);
  });
}

TEST_CASE("all ranks of a stage update with the same batch, one after another") {
  each_composition(6, [](const std::vector<int>& stage_ranks) {
    for (const int rounds : {1, 2, 3}) {
      Pipeline pipeline = replicated(stage_ranks, rounds);
      pipeline.flushes = false;
      for (int rank = 0; rank < 6; ++rank) {
        const StageReplicas replicas = pipeline.replicas_of(rank);
        CHECK(age_of_update(pipeline, rank) == age_of_update(pipeline, replicas.first));
        const int age = age_of_update(pipeline, rank);
        const auto end_of_update = [&](int of) {
          double end = 0;
          for (const TimedWork& timed : works_without_flush(pipeline, of, {0, oldest_age(pipeline)}))
            if (timed.work.kind == Work::Kind::backward && timed.work.age == age) end = timed.begin;
          return end;
        };
        CHECK(end_of_update(rank) + lead_of_update(pipeline, rank) ==
              end_of_update(replicas.first + replicas.count - 1));
      }
    }
  });
}

TEST_CASE("plans with stages of several ranks are correct, and only the ranks of a stage sum its gradients") {
  constexpr int layers = 6, ranks = 4;
  constexpr std::int64_t bytes_of_layer = (8 * 8 + 8) * 4;
  for (const char* strategy : {"1f1b", "gpipe", "pipedream", "pipedream_2bw"})
    for (const Integers& counts : {Integers{3, 1}, {1, 3}, {2, 2}, {1, 2, 1}, {4}}) {
      INFO(strategy << ", " << counts.front() << " of 4 ranks in the first of " << counts.size() << " stages");
      const program::Plan plan = compiled_layers(strategy, layers, ranks, 24, with_stage_ranks(counts, 12));
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
    const StageLoad load = [&](int stage, std::size_t begin, std::size_t end) {
      const auto sum = [&](const std::vector<double>& of) {
        return std::accumulate(of.begin() + static_cast<std::ptrdiff_t>(begin),
                               of.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
      };
      return (sum(work) + 2 * stage * sum(weights)) / (stage + 1);
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

// Harlap et al. 2018, table 1: VGG-16 with slow links has its convolutions on all ranks but one, and its dense layers
// on the last one; with fast links, every rank has all layers.
TEST_CASE("the planner replicates layers with much work and few weights") {
  const graph::Graph training = graph::differentiate(fashion_model("vgg16", 16, {3, 32, 32}));
  const auto planned = [&training](double gigabits) {
    Division division;
    division.balance = Balance::time_and_communication;
    division.link_bytes_per_second = gigabits * 1e9 / 8;
    division.microbatches = 12;
    return plan_stage_ranks(training, division, 4, {});
  };
  CHECK(planned(1e5) == std::vector<int>{4});
  const std::vector<int> slow = planned(1);
  CHECK(slow.size() > 1);
  CHECK(slow.front() > slow.back());
}

TEST_CASE("numbers of ranks that do not fit are rejected") {
  const auto rejects = [](OptionValues options, const char* why) {
    CHECK_THROWS_WITH(compiled("1f1b", 4, 24, std::move(options)), Catch::Matchers::Contains(why));
  };
  rejects(with_stage_ranks({3, 1}, 4), "4 micro-batches do not divide among the 3 ranks of a stage");
  rejects(with_stage_ranks({3, 2}, 6), "stage_ranks are 3, 2, 5 in all, but the pipeline has 4 ranks");
  rejects({{"replicate_stages", true}}, "set balance to time_and_communication");
  rejects({{"replicate_stages", true},
           {"balance", std::string("time_and_communication")},
           {"recompute", Strings{"full"}},
           {"recompute_stages", Integers{0}}},
          "replicate_stages chooses the stages");
  OptionValues both = with_stage_ranks({3, 1}, 6);
  both["replicate_stages"] = true;
  rejects(both, "stage_ranks and replicate_stages exclude each other");
  OptionValues chunked = mesh({{"pipeline", 4}}, 6);
  chunked["stage_ranks"] = Integers{3, 1};
  chunked["schedule"] = std::string("interleaved");
  CHECK_THROWS_WITH(compiled("hybrid", 4, 24, chunked),
                    "stage_ranks has no effect with schedule 'interleaved'; leave it out, or use gpipe or 1f1b");
}

}  // namespace ddlbench::strategies
