#include "bench/run/worker_request.h"

#include "catch.h"
#include "graph/error.h"

using namespace ddlbench::bench;

TEST_CASE("a worker is told exactly what the supervisor knows") {
  WorkerRequest sent;
  sent.trace_file = "out/trace/001.json";
  sent.experiment.file = "quickstart.json";
  sent.experiment.resolved = "{}";
  sent.experiment.locations = {{"/name", {0, 2, 3}}};
  sent.experiment.name = "quick \"start\"";
  sent.experiment.workload.model = {"mlp", {{"hidden", std::int64_t{128}}, {"slope", 1.0}, {"bias", true}}};
  sent.experiment.workload.dataset = {"idx", {{"path", std::string("/data/true")}}};
  sent.experiment.workload.global_batch = {32, 64};
  sent.experiment.workload.loader = {4, 7};
  sent.experiment.workload.skip_corrupt = true;
  sent.experiment.training.seed = {18446744073709551615ull};
  sent.experiment.training.optimizer = {"adam", 0.1, 0.9, 1e-4, 0.8, 0.99, 1e-7, true, 0.02, true};
  sent.experiment.training.schedule = {"step", {1, 3}, 2, 0.3, 0.01, 1.5, 7, 0, 0.1, 256};
  sent.experiment.training.loss = {"cross_entropy", 0.1};
  sent.experiment.training.clip_norm = 2.5;
  sent.experiment.training.target = {0.5, {}};
  sent.experiment.training.checkpoint = {"out", 5, "in.safetensors", true, "0123"};
  sent.experiment.devices = {"cuda", "mpi", {1, 2}, 3, {}, "ring", false, false, {0.5, 1e9}, "nccl", true, 2};
  sent.experiment.measure = {1, 2, 4, 5, 0.5, true};
  StrategyChoice strategy;
  strategy.choice = {"hybrid", {{"mesh", ddlbench::graph::AxisSizes{{"tensor", 2}, {"data", 1}}}}};
  strategy.pointer = "/strategies/0";
  strategy.ranks = {2, 4};
  strategy.label = "hybrid tensor=2";
  strategy.expect = "out_of_memory";
  sent.experiment.strategies = {strategy, strategy};
  sent.which.id = "001";
  sent.which.strategy = strategy;
  sent.which.family = "hybrid";
  sent.which.ranks = 2;
  sent.which.oversubscribed = true;
  sent.which.shares_devices = true;
  sent.which.seed = 18446744073709551615ull;
  sent.which.global_batch = 1LL << 40;
  sent.which.contract_id = "abc";

  const WorkerRequest back = decode_request(encode(sent));

  CHECK(encode(back) == encode(sent));
  CHECK(back.trace_file == sent.trace_file);
  CHECK(back.experiment.locations == sent.experiment.locations);
  CHECK(back.experiment.strategies.at(1).ranks == strategy.ranks);
  CHECK(back.experiment.name == sent.experiment.name);
  CHECK(back.experiment.workload.model.options == sent.experiment.workload.model.options);
  CHECK(back.experiment.workload.dataset.options == sent.experiment.workload.dataset.options);
  CHECK(back.experiment.workload.global_batch == sent.experiment.workload.global_batch);
  CHECK(back.experiment.workload.loader.workers == 4);
  CHECK(back.experiment.workload.loader.prefetch == 7);
  CHECK(back.experiment.workload.skip_corrupt);
  CHECK(back.experiment.training.seed == sent.experiment.training.seed);
  CHECK(back.experiment.training.optimizer.epsilon == 1e-7);
  CHECK(back.experiment.training.checkpoint.load == "in.safetensors");
  CHECK(back.experiment.training.checkpoint.resume);
  CHECK(back.experiment.training.optimizer.trust == 0.02);
  CHECK(back.experiment.training.schedule.milestones == std::vector<std::int64_t>{1, 3});
  CHECK(back.experiment.training.schedule.base_batch == 256);
  CHECK(back.experiment.training.loss.label_smoothing == 0.1);
  CHECK(back.experiment.training.clip_norm == 2.5);
  CHECK(back.experiment.devices.threads_per_rank == 3);
  CHECK(back.experiment.devices.carrier() == "nccl");
  CHECK(!back.experiment.devices.deterministic);
  CHECK(!back.experiment.devices.winograd);
  CHECK(back.experiment.devices.apart);
  CHECK(back.experiment.devices.seen == 2);
  CHECK(back.experiment.measure.timeout_seconds == 0.5);
  REQUIRE(back.experiment.strategies.size() == 2);
  CHECK(back.experiment.strategies[1].choice.options == strategy.choice.options);
  CHECK(back.which.strategy.expect == "out_of_memory");
  CHECK(back.which.seed == sent.which.seed);
  CHECK(back.which.global_batch == sent.which.global_batch);
  CHECK(back.which.oversubscribed);
}

TEST_CASE("a text that is not a request is refused") {
  CHECK_THROWS_AS(decode_request("{}"), ddlbench::ContractError);
  CHECK_THROWS_AS(decode_request("nonsense"), ddlbench::ContractError);
}
