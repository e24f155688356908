#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "small_case.h"
#include "temporary_folder.h"

namespace ddlbench::bench {

inline OptionValues parts(std::int64_t microbatches) {
  return {{"microbatches", microbatches}};
}

inline OptionValues with_ranks_per_stage(OptionValues options, Integers ranks_per_stage) {
  options["ranks_per_stage"] = std::move(ranks_per_stage);
  return options;
}

inline OptionValues mesh(AxisSizes axes, std::int64_t microbatches) {
  return {{"mesh", std::move(axes)}, {"microbatches", microbatches}};
}

inline OptionValues zero(std::int64_t stage, std::int64_t microbatches) {
  return {{"stage", stage}, {"microbatches", microbatches}, {"bucket_mebibytes", 0.004}};
}

struct StrategyRun {
  std::string strategy;
  int ranks;
  OptionValues options;
};

/// Pipelines without flush have no norm of all gradients, which fp16 needs.
inline bool flushes(const StrategyRun& way) {
  return way.strategy != "pipedream" && way.strategy != "pipedream_2bw" && way.strategy != "spectrain" &&
         way.strategy != "pipemare" && !way.options.contains("flush");
}

/// Returns Adam, or what `spectrain` predicts with.
inline Choice adam_or_momentum(const StrategyRun& way) {
  if (way.strategy == "spectrain") return {"sgd", {{"learning_rate", 0.05}, {"momentum", 0.9}}};
  return {"adam", {{"learning_rate", 0.003}}};
}

/// Returns a case of four layers, one per stage for four stages, with a short training.
inline SmallCase four_layers(const std::string& strategy, int ranks, const OptionValues& options) {
  SmallCase small(strategy, ranks, options);
  small.experiment.workload.model.options = {{"hidden", Integers{32, 24, 16}}};
  small.experiment.workload.dataset.options["train_samples"] = std::int64_t{96};
  small.experiment.workload.dataset.options["validation_samples"] = std::int64_t{50};
  small.experiment.training.epochs = 1;
  small.experiment.measure = without_prediction({1, 3, 1, 4, 30});
  return small;
}

/// Returns a case with two blocks of four heads on a repetitive text, so that there is something to learn.
inline SmallCase tiny_gpt(const test::TemporaryFolder& folder, const StrategyRun& way, bool tied) {
  const std::string path = folder / "text";
  std::ofstream text(path);
  for (int i = 0; i < 40; ++i) text << "the " << (i % 3 == 0 ? "lazy dog" : "quick fox") << " runs, ";
  SmallCase small(way.strategy, way.ranks, way.options);
  small.experiment.workload.model = {
      "tiny-gpt",
      {{"layers", std::int64_t{2}}, {"heads", std::int64_t{4}}, {"hidden", std::int64_t{16}}, {"tied", tied}}};
  small.experiment.workload.dataset = {"text", {{"path", path}, {"sequence_length", std::int64_t{8}}}};
  small.experiment.training.epochs = 1;
  small.experiment.measure = without_prediction({1, 1, 1, 3, 30});
  small.which.global_batch = 24;
  return small;
}

/// Returns every strategy, on 1 to 4 ranks and some more, with most of its options.
inline std::vector<StrategyRun> all_strategies() {
  std::vector<StrategyRun> ways{
      {"single", 1, parts(1)}, {"single", 1, parts(3)}, {"single", 1, {{"update_in_backward", true}}}};
  for (int ranks = 1; ranks <= 4; ++ranks) {
    ways.push_back({"ddp", ranks, parts(1)});
    ways.push_back(
        {"ddp", ranks, {{"microbatches", std::int64_t{2}}, {"bucket_mebibytes", 0.002}, {"overlap", ranks % 2 == 0}}});
    ways.push_back({"ddp", ranks, {{"update_in_backward", true}, {"bucket_mebibytes", 0.002}}});
    ways.push_back({"tensor", ranks, parts(1)});
    ways.push_back({"gpipe", ranks, parts(4)});
    ways.push_back({"gpipe", ranks, {{"microbatches", std::int64_t{3}}, {"recompute", Strings{"full"}}}});
    ways.push_back({"1f1b",
                    ranks,
                    {{"microbatches", std::int64_t{6}}, {"recompute", ranks % 2 == 0 ? Strings{"full"} : Strings{}}}});
    for (const std::int64_t stage : {1, 2, 3}) ways.push_back({"zero", ranks, zero(stage, 1)});
  }
  for (const std::int64_t stage : {1, 2, 3}) {
    ways.push_back({"zero", 3, zero(stage, 2)});
    OptionValues hybrid = mesh({{"data", 2}, {"pipeline", 2}}, 4);
    hybrid["schedule"] = std::string("1f1b");
    hybrid["zero"] = stage;
    ways.push_back({"hybrid", 4, hybrid});
  }
  OptionValues kept = zero(3, 2);
  kept["reshard"] = false;
  kept["prefetch"] = std::int64_t{3};
  ways.push_back({"zero", 2, kept});
  for (const std::int64_t stage : {0, 1, 2, 3}) {
    OptionValues chunked = mesh({{"data", 2}, {"pipeline", 2}}, 4);
    chunked["schedule"] = std::string("interleaved");
    chunked["recompute"] = Strings{"full"};
    chunked["zero"] = stage;
    ways.push_back({"hybrid", 4, chunked});
    OptionValues split = mesh({{"data", 3}, {"tensor", 2}}, 1);
    split["zero"] = stage;
    ways.push_back({"hybrid", 6, split});
  }
  for (const bool overlap : {true, false})
    ways.push_back(
        {"hierarchical", 4, {{"node_ranks", std::int64_t{2}}, {"bucket_mebibytes", 0.002}, {"overlap", overlap}}});
  ways.push_back({"hierarchical", 6, {{"node_ranks", std::int64_t{3}}, {"microbatches", std::int64_t{2}}}});
  for (const std::int64_t stage : {1, 2, 3}) {
    OptionValues nodes = zero(stage, 2);
    nodes["node_ranks"] = std::int64_t{2};
    ways.push_back({"zero", 4, nodes});
  }
  ways.push_back({"lbann", 3, parts(2)});
  for (int ranks = 1; ranks <= 4; ++ranks)
    ways.push_back({"horovod",
                    ranks,
                    {{"cycle_milliseconds", ranks % 2 == 0 ? 0.001 : 0.01},
                     {"fusion_mebibytes", ranks == 3 ? 0.002 : 128.0},
                     {"microbatches", std::int64_t{ranks > 2 ? 2 : 1}}}});
  for (int ranks = 1; ranks <= 4; ++ranks)
    ways.push_back({"priority",
                    ranks,
                    {{"slice_mebibytes", ranks % 2 == 0 ? 0.001 : 1.0},
                     {"link_gigabits", ranks > 2 ? 0.1 : 1000.0},
                     {"microbatches", std::int64_t{ranks > 2 ? 2 : 1}}}});
  OptionValues early = mesh({{"data", 2}, {"tensor", 2}}, 1);
  early["update_in_backward"] = true;
  early["bucket_mebibytes"] = 0.002;
  ways.push_back({"hybrid", 4, early});
  OptionValues gathered = mesh({{"data", 2}, {"pipeline", 2}}, 2);
  gathered["zero"] = std::int64_t{3};
  gathered["prefetch"] = std::int64_t{0};
  gathered["reshard"] = false;
  ways.push_back({"hybrid", 4, gathered});
  ways.push_back({"interleaved", 2, parts(4)});
  ways.push_back({"interleaved", 2, {{"microbatches", std::int64_t{3}}, {"recompute", Strings{"full"}}}});
  ways.push_back({"zb_h1", 3, parts(4)});
  ways.push_back({"zb_h2", 3, {{"microbatches", std::int64_t{4}}, {"recompute", Strings{"full"}}}});
  ways.push_back({"zb_auto", 3, {{"microbatches", std::int64_t{4}}, {"activation_limit", 2.0}}});
  ways.push_back({"zb_v", 2, parts(4)});
  ways.push_back({"hanayo", 2, {{"microbatches", std::int64_t{4}}, {"recompute", Strings{"full"}}}});
  ways.push_back({"chimera", 4, parts(4)});
  ways.push_back({"chimera", 3, {{"microbatches", std::int64_t{3}}, {"recompute", Strings{"full"}}}});
  ways.push_back({"gems", 2, parts(4)});
  ways.push_back({"naive", 2, parts(2)});
  ways.push_back({"1f1b", 4, with_ranks_per_stage(parts(6), {3, 1})});
  ways.push_back({"gpipe", 3, with_ranks_per_stage(parts(2), {1, 2})});
  OptionValues replicated = with_ranks_per_stage(mesh({{"data", 2}, {"pipeline", 3}}, 2), {2, 1});
  replicated["recompute"] = Strings{"full"};
  replicated["zero"] = std::int64_t{1};
  ways.push_back({"hybrid", 6, replicated});
  for (const char* schedule : {"zb_h2", "zb_v", "hanayo", "chimera"}) {
    OptionValues sharded = mesh({{"data", 2}, {"pipeline", 2}}, 4);
    sharded["schedule"] = std::string(schedule);
    sharded["zero"] = std::int64_t{3};
    ways.push_back({"hybrid", 4, sharded});
  }
  ways.push_back({"tensor", 2, parts(2)});
  ways.push_back({"hybrid", 4, mesh({{"data", 2}, {"tensor", 2}}, 2)});
  ways.push_back({"hybrid", 4, mesh({{"data", 2}, {"pipeline", 2}}, 4)});
  ways.push_back({"hybrid", 4, mesh({{"tensor", 2}, {"pipeline", 2}}, 4)});
  ways.push_back({"hybrid", 8, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}}, 2)});
  for (const Integers& speeds : {Integers{2, 1}, {1, 5, 2}, {7, 5, 3, 2}}) {
    const auto ranks = static_cast<int>(speeds.size());
    ways.push_back({"balanced", ranks, {{"speeds", speeds}}});
    ways.push_back({"balanced",
                    ranks,
                    {{"speeds", speeds},
                     {"microbatches", std::int64_t{ranks == 2 ? 3 : 2}},
                     {"bucket_mebibytes", 0.002},
                     {"overlap", ranks % 2 == 0}}});
  }
  ways.push_back({"balanced", 2, {{"speeds", Integers{1, 3}}, {"update_in_backward", true}}});
  for (const std::int64_t stage : {0, 1, 2, 3}) {
    OptionValues uneven = mesh({{"data", 2}, {"pipeline", 2}}, 2);
    uneven["schedule"] = std::string("1f1b");
    uneven["zero"] = stage;
    uneven["speeds"] = Integers{3, 1};
    ways.push_back({"hybrid", 4, uneven});
    OptionValues nodes = mesh({{"replica", 2}, {"data", 2}}, 1);
    nodes["zero"] = stage;
    nodes["speeds"] = Integers{1, 2, 3, 5};
    ways.push_back({"hybrid", 4, nodes});
  }
  return ways;
}

/// Returns a case of each stage that changes gradients on their way, of ranks with weights of their own, and of
/// pipelines without flush: they promise `lossy` or `stale`.
inline std::vector<StrategyRun> strategies_with_rules() {
  const auto codec = [](const std::string& kind) {
    return OptionValues{{"codec", Nested{{kind, {}}}}, {"bucket_mebibytes", 0.002}};
  };
  const auto rounded = [](OptionValues options) {
    options["wire"] = std::string("bf16");
    return options;
  };
  const auto averaging = [](const std::string& kind) {
    return OptionValues{{"averaging", Nested{{kind, {}}}}, {"every", std::int64_t{2}}, {"bucket_mebibytes", 0.002}};
  };
  OptionValues warm = codec("top_k");
  warm["warm_up_steps"] = std::int64_t{5};
  OptionValues replicated = mesh({{"data", 2}, {"pipeline", 2}}, 2);
  replicated["schedule"] = std::string("1f1b");
  replicated["flush"] = false;
  return {{"pipedream", 2, {}},
          {"pipedream", 4, {{"weight_versions", std::string("vertical_sync")}}},
          {"pipedream", 3, parts(3)},
          {"pipedream", 4, {{"weight_versions", std::string("newest")}}},
          {"spectrain", 3, {}},
          {"pipemare", 3, {{"rate_steps", std::int64_t{6}}}},
          {"pipedream_2bw", 3, parts(4)},
          {"pipedream", 4, {{"ranks_per_stage", Integers{2, 1, 1}}, {"microbatches", std::int64_t{2}}}},
          {"pipedream_2bw", 4, {{"ranks_per_stage", Integers{1, 3}}, {"microbatches", std::int64_t{3}}}},
          {"hybrid", 4, replicated},
          {"compressed", 2, codec("one_bit")},
          {"compressed", 3, codec("qsgd")},
          {"compressed", 2, codec("top_k")},
          {"compressed", 2, warm},
          {"power_sgd", 2, {{"bucket_mebibytes", 0.002}}},
          {"power_sgd", 3, {{"matrix_approximation_rank", std::int64_t{1}}, {"microbatches", std::int64_t{2}}}},
          {"ddp", 3, rounded({{"bucket_mebibytes", 0.002}})},
          {"zero", 2, rounded(zero(2, 2))},
          {"hierarchical", 4, rounded({{"node_ranks", std::int64_t{2}}})},
          {"local_sgd", 2, {{"every", std::int64_t{3}}, {"synchronous_steps", std::int64_t{2}}}},
          {"local_sgd", 3, averaging("block_momentum")},
          {"local_sgd", 2, averaging("elastic")},
          {"gossip", 4, {{"graph", Nested{{"exponential", {}}}}, {"bucket_mebibytes", 0.002}}}};
}

}  // namespace ddlbench::bench
