#include "random_cases.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "all_strategies.h"
#include "bench/case/certified_steps.h"
#include "bench/case/gather.h"
#include "bench/case/replay.h"
#include "bench/case/verify.h"
#include "bench/config/field.h"
#include "catch.h"
#include "dice.h"
#include "program/passes.h"
#include "random_layers.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/strategy.h"

namespace ddlbench::test {

using bench::SmallCase;
using bench::StrategyRun;

namespace {

/// Results of random models under every strategy.
struct RandomCases {
  int models = 0;
  int unproven = 0;      ///< number of models whose rounding noise may be as large as a fault
  int certified = 0;     ///< number of cases
  int unsupported = 0;   ///< number of cases
  int with_rules = 0;    ///< number of cases that are compared with their own rule
  int inconclusive = 0;  ///< number of these whose rounding noise may be as large as a fault
  std::string failures;  ///< one line per failure: seed, strategy and ranks, what went wrong; then the model
};

constexpr std::int64_t steps = 2;

/// Returns every strategy once, with random ranks and options.
std::vector<StrategyRun> drawn_ways(Dice& dice) {
  const auto ranks = [&dice] { return dice.one_of({2, 3, 4}); };
  const auto parts = [&dice] { return bench::parts(dice.one_of<std::int64_t>({1, 2, 3})); };
  const auto with = [&dice](OptionValues options) {
    if (dice.below(3) == 0) options["recompute"] = Strings{"full"};
    return options;
  };
  std::vector<StrategyRun> ways{
      {"single", 1, with(parts())}, {"ddp", ranks(), with(parts())}, {"ddp", ranks(), {{"update_in_backward", true}}}};
  for (const std::int64_t stage : {1, 2, 3})
    ways.push_back({"zero", ranks(), bench::zero(stage, dice.one_of<std::int64_t>({1, 2}))});
  ways.push_back({"lbann", ranks(), parts()});
  ways.push_back({"horovod", ranks(), with({{"cycle_milliseconds", dice.one_of({0.001, 0.01, 1.0})}})});
  ways.push_back(
      {"priority", ranks(),
       with({{"slice_mebibytes", dice.one_of({0.001, 1.0})}, {"link_gigabits", dice.one_of({0.01, 100.0})}})});
  ways.push_back({"hierarchical", 2 * ranks(), with({{"node_ranks", std::int64_t{2}}})});
  ways.push_back({"fsdp", 4, {{"node_ranks", std::int64_t{2}}}});
  for (const int size : {2, 3, 4}) ways.push_back({"tensor", size, with(parts())});
  for (const strategies::ScheduleKind& kind : strategies::schedules()) {
    if (kind.name == "naive") continue;
    OptionValues options = with(parts());
    if (options.contains("recompute") && dice.coin()) options["recompute_stages"] = Integers{dice.below(2)};
    options["balance"] = std::string(dice.one_of({"time", "flops", "memory", "time_and_communication"}));
    if (kind.has_activation_limit) options["activation_limit"] = dice.one_of({0.5, 1.0, 1.5, 2.0});
    ways.push_back({kind.name, kind.chunks == 1 ? ranks() : 2, options});
  }
  AxisSizes data{{"data", dice.one_of({2, 3})}};
  AxisSizes tensor{{"tensor", dice.one_of({2, 3})}};
  for (const AxisSizes& axes :
       {AxisSizes{data[0], tensor[0]}, AxisSizes{data[0], {"pipeline", 2}}, AxisSizes{tensor[0], {"pipeline", 2}},
        AxisSizes{{"data", 2}, {"tensor", 2}, {"pipeline", 2}}}) {
    OptionValues options = with(bench::mesh(axes, dice.one_of<std::int64_t>({1, 2})));
    options["zero"] = static_cast<std::int64_t>(dice.below(4));
    options["schedule"] = dice.one_of(strategies::schedules()).name;
    options["prefetch"] = dice.one_of<std::int64_t>({0, 1, 3});
    options["reshard"] = dice.below(2) == 0;
    options["bucket_mebibytes"] = dice.one_of({0.001, 0.004, 25.0});
    options["overlap"] = dice.below(4) != 0;
    if (axes.back().first != "pipeline" && dice.below(2) == 0) {
      for (const char* other : {"zero", "overlap", "microbatches"}) options.erase(other);
      options["microbatches"] = std::int64_t{1};
      options["update_in_backward"] = true;
    }
    if (axes.back().first != "pipeline") options.erase("schedule");
    if (!options.contains("zero") || options.at("zero") != OptionValue{std::int64_t{3}})
      for (const char* other : {"prefetch", "reshard"}) options.erase(other);
    if (axes.front().first != "data")
      for (const char* other : {"zero", "overlap"}) options.erase(other);
    if (options.contains("zero") && std::get<std::int64_t>(options.at("zero")) > 1) options.erase("overlap");
    int product = 1;
    for (const auto& [axis, size] : axes) product *= size;
    ways.push_back({"hybrid", product, options});
  }
  return ways;
}

/// Returns `balanced`, and a hybrid with sharded state, with random speeds.
std::vector<StrategyRun> drawn_balanced_ways(Dice& dice) {
  const auto speeds_of = [&dice](int ranks) {
    Integers speeds;
    for (int rank = 0; rank < ranks; ++rank) speeds.push_back(1 + dice.below(4));
    return speeds;
  };
  const int ranks = dice.one_of({2, 3, 4});
  OptionValues options = bench::parts(dice.one_of<std::int64_t>({1, 2}));
  options["speeds"] = speeds_of(ranks);
  OptionValues uneven = bench::mesh({{"data", 2}, {dice.coin() ? "tensor" : "pipeline", 2}}, 1);
  uneven["zero"] = static_cast<std::int64_t>(dice.below(4));
  uneven["speeds"] = speeds_of(2);
  return {{"balanced", ranks, options}, {"hybrid", 4, uneven}};
}

/// Returns strategies with a rule of their own, one of each family, with random options.
std::vector<StrategyRun> drawn_ways_with_rules(Dice& dice) {
  const auto ranks = [&dice] { return dice.one_of({2, 3, 4}); };
  const auto parts = [&dice] {
    OptionValues options = bench::parts(dice.one_of<std::int64_t>({1, 2}));
    options["bucket_mebibytes"] = dice.one_of({0.001, 0.004, 25.0});
    return options;
  };
  const auto with = [](OptionValues options, const OptionValues& more) {
    for (const auto& [name, value] : more) options[name] = value;
    return options;
  };
  const Nested codec = dice.one_of<Nested>({{{"one_bit", {}}},
                                            {{"ternary", {}}},
                                            {{"qsgd", {}}},
                                            {{"top_k", {{"density", 0.1}}}},
                                            {{"sparse_binary", {{"density", 0.1}}}}});
  const std::string averaging = dice.one_of({"mean", "block_momentum", "elastic"});
  OptionValues local =
      with(parts(), {{"averaging", Nested{{averaging, {}}}}, {"every", std::int64_t{1 + dice.below(4)}}});
  if (averaging == "mean") local["average_states"] = dice.coin();
  if (dice.coin()) local["synchronous_steps"] = std::int64_t{2};
  const OptionValue wire = std::string(dice.one_of({"bf16", "fp16"}));
  const OptionValue stage = dice.one_of<std::int64_t>({1, 2, 3});
  OptionValues without_flush = bench::parts(dice.one_of<std::int64_t>({1, 2, 3, 4}));
  if (dice.coin())
    without_flush["weight_versions"] =
        std::string(without_flush.at("microbatches") == OptionValue{std::int64_t{1}} ? "newest" : "vertical_sync");
  return {{"pipedream", ranks(), without_flush},
          {"spectrain", ranks(), {}},
          {"pipemare", ranks(), {{"rate_steps", dice.one_of<std::int64_t>({0, 4, 1000})}}},
          {"compressed", ranks(), with(parts(), {{"codec", codec}})},
          {"power_sgd", ranks(), with(parts(), {{"matrix_approximation_rank", dice.one_of<std::int64_t>({1, 2, 4})}})},
          {"local_sgd", ranks(), local},
          {"gossip", ranks(), with(parts(), {{"graph", Nested{{dice.one_of({"ring", "exponential", "random"}), {}}}}})},
          dice.coin() ? StrategyRun{"ddp", ranks(), with(parts(), {{"wire", wire}})}
                      : StrategyRun{"zero", ranks(), {{"stage", stage}, {"wire", wire}}}};
}

std::string words(const StrategyRun& way) {
  std::ostringstream text;
  text << way.strategy << " on " << way.ranks;
  for (const auto& [name, value] : way.options) text << " " << name << "=" << bench::to_string(value);
  return text.str();
}

/// What a certificate compares, and the evaluation loss of a batch.
struct Run {
  runtime::Trace trace;
  double evaluation = 0;
};

Run run_of(const bench::Setup& setup, const StrategyRun& way, std::int64_t channel_block) {
  const strategies::StrategyKind& kind = strategies::find_strategy(way.strategy);
  program::Plan plan =
      kind.compile({setup.model, setup.which.global_batch, way.ranks, setup.optimizer, {}, channel_block}, way.options);
  const std::vector<workloads::SampleDraw> order = bench::training_order(setup, steps);
  Run run;
  comm::WorldOptions options;
  options.timeout = std::chrono::seconds(60);
  comm::find_transport("threads").launch(way.ranks, options, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {1});
    bench::complete(plan, *device, communicator, bench::Sharing::one_plan);
    bench::Trainer trainer(setup, plan, *device, communicator);
    const runtime::Trace trace = bench::record_trace(trainer, order, steps, nullptr);
    trainer.begin(runtime::Mode::evaluate, order);
    const double loss = trainer.step(runtime::Mode::evaluate, "evaluation").value().loss;
    const double evaluation = bench::sum_over_ranks(communicator, {loss})[0];
    if (communicator.rank() == 0) run = {trace, evaluation};
  });
  return run;
}

/// Returns what exceeds its tolerance.
std::string difference(const runtime::Certificate& certificate) {
  std::ostringstream text;
  const auto compare = [&text](const std::string& what, double found, double tolerance) {
    if (!(found <= tolerance)) text << what << " deviate by " << found << ", more than " << tolerance << "; ";
  };
  compare("losses", certificate.measured.loss, certificate.loss_tolerance);
  compare("gradients", certificate.measured.gradient, certificate.gradient_tolerance);
  compare("updates", certificate.measured.update, certificate.update_tolerance);
  compare("statistics", certificate.measured.statistic, certificate.statistic_tolerance);
  return text.str();
}

std::string difference(const Run& run, const Run& whole, const runtime::Deviation& noise) {
  const runtime::Certificate certificate = runtime::certify(run.trace, whole.trace, noise);
  const double evaluation = std::abs(run.evaluation - whole.evaluation) / std::abs(whole.evaluation);
  const double tolerance = std::max(certificate.loss_tolerance, certificate.update_tolerance);
  std::ostringstream text;
  if (!(evaluation <= tolerance))
    text << "losses in evaluation deviate by " << evaluation << ", more than " << tolerance << "; ";
  return difference(certificate) + text.str();
}

/// Returns the certificate of a strategy against its own rule.
runtime::Certificate certificate_of_rule(const bench::Setup& setup, const StrategyRun& way) {
  program::Plan plan = bench::compile(setup, {way.strategy, way.options}, way.ranks);
  REQUIRE(plan.promise.rule != nullptr);
  const bench::CertifiedSteps wanted = bench::certified_steps(plan.cadence, steps);
  bench::RecordedProgress heard;
  std::ostringstream log;
  bench::Heartbeat heartbeat(heard, 2 * wanted.count, log);
  const bench::Reference reference = bench::run_replay(setup, *plan.promise.rule, plan.microbatches, wanted, heartbeat);
  runtime::Certificate certificate;
  comm::find_transport("threads").launch(way.ranks, {std::chrono::seconds(60)}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {1});
    bench::complete(plan, *device, communicator, bench::Sharing::one_plan);
    bench::Trainer trainer(setup, plan, *device, communicator);
    const runtime::Trace trace = bench::record_trace(trainer, bench::training_order(setup, wanted.count), wanted.count,
                                                     nullptr, "verify", bench::Weights::initial, wanted.first);
    if (communicator.rank() == 0) certificate = runtime::certify(trace, reference.trace, reference.noise);
  });
  return certificate;
}

SmallCase case_of(const RandomLayers& layers, const std::string& file) {
  SmallCase small("single");
  small.experiment.workload.model = {"graph", {{"file", file}}};
  auto& options = small.experiment.workload.dataset.options;
  if (layers.is_text) {
    small.experiment.workload.dataset.kind = "synthetic-text";
    options = {{"sequence_length", layers.sample[0]}};
  } else {
    options = {{"shape", graph::to_string(layers.sample)}};
  }
  options["classes"] = std::int64_t{random_classes};
  options["train_samples"] = std::int64_t{24 * steps};
  options["validation_samples"] = std::int64_t{24 * steps};
  small.which.global_batch = 24;
  return small;
}

void run_case(std::uint64_t seed, RandomCases& cases) {
  ++cases.models;
  const RandomLayers layers = random_layers(seed);
  const TemporaryFolder folder;
  const std::string file = folder / "model.json";
  std::ofstream(file) << layers.json;
  Dice dice(~seed);
  const std::int64_t channel_block = dice.one_of<std::int64_t>({1, 1, 2});
  std::string failures;
  const auto fail = [&](const std::string& way, const std::string& what) {
    failures += "seed " + std::to_string(seed) + ", " + way +
                (channel_block == 1 ? ": " : ", channels in blocks of 2: ") + what + "\n";
  };
  const auto hold = [&](const StrategyRun& way, const std::function<std::string()>& difference_of_case) {
    try {
      const std::string differs = difference_of_case();
      if (!differs.empty()) return fail(words(way), differs);
      ++cases.certified;
    } catch (const strategies::Unsupported& why) {
      ++cases.unsupported;
      const bool lacks_signature = std::string(why.what()).find("cannot be computed in") != std::string::npos;
      if (lacks_signature) fail(words(way), why.what());
    } catch (const std::exception& why) {
      fail(words(way), why.what());
    }
  };
  try {
    const SmallCase small = case_of(layers, file);
    const bench::Setup setup = bench::prepare(small.experiment, small.which, bench::open_data(small.experiment));
    bench::RecordedProgress heard;
    std::ostringstream log;
    bench::Heartbeat heartbeat(heard, 2 * steps, log);
    const runtime::Deviation noise = bench::run_reference(setup, steps, heartbeat).noise;
    const Run whole = run_of(setup, {"single", 1, {}}, 1);
    if (!runtime::certify(whole.trace, whole.trace, noise).proves()) {
      ++cases.unproven;
      return;
    }
    std::vector<StrategyRun> exact = drawn_ways(dice);
    Dice speeds(seed ^ 0x737065656473), rules(seed ^ 0x72756c6573);
    for (const StrategyRun& way : drawn_balanced_ways(speeds)) exact.push_back(way);
    for (const StrategyRun& way : exact)
      hold(way, [&] { return difference(run_of(setup, way, channel_block), whole, noise); });
    for (const StrategyRun& way : drawn_ways_with_rules(rules)) {
      hold(way, [&] {
        const runtime::Certificate certificate = certificate_of_rule(setup, way);
        ++cases.with_rules;
        if (certificate.proves()) return difference(certificate);
        ++cases.inconclusive;
        return std::string();
      });
    }
  } catch (const std::exception& why) {
    fail("one rank", why.what());
  }
  if (!failures.empty()) cases.failures += failures + layers.json + "\n";
}

}  // namespace

void check_random_cases(std::uint64_t first, std::uint64_t last) {
  RandomCases cases;
  if (const char* only = std::getenv("RANDOM_SEED")) first = last = std::strtoull(only, nullptr, 10);
  for (std::uint64_t seed = first; seed <= last; ++seed) run_case(seed, cases);
  CAPTURE(cases.certified, cases.unsupported, cases.with_rules, cases.inconclusive, cases.unproven);
  CHECK(cases.failures == "");
  CHECK(cases.unproven <= cases.models / 10);
  CHECK(cases.unsupported <= cases.certified / 3);
  CHECK(cases.with_rules >= cases.models);
  CHECK(cases.inconclusive <= cases.with_rules / 3);
}

}  // namespace ddlbench::test
