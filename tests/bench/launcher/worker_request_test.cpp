#include "bench/launcher/worker_request.h"

#include "base/error.h"
#include "bench/config/load.h"
#include "bench/config/variants.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// One setting of every type, none at its default.
const std::string quick_configuration = R"({
  "name": "quick-start",
  "workload": {
    "model": [{"kind": "mlp", "hidden": [8, 8]}, "lenet"],
    "dataset": {"kind": "synthetic", "shape": "1x28x28", "learnable": false},
    "global_batch": [32, 64],
    "learning_rate": 0.25,
    "loader": {"workers": 4, "corrupt": "skip"}
  },
  "training": {
    "epochs": 9,
    "seed": [9007199254740991, 2],
    "precision": "fp16",
    "loss_scale": {"kind": "fixed", "scale": 128},
    "optimizer": {"kind": "lamb", "learning_rate": 0.1, "epsilon": 1e-7},
    "schedule": {"kind": "step", "milestones": [1, 3], "factor": 0.3},
    "warmup_start": 0.1,
    "target": {"loss": 0.5},
    "checkpoint": {"load": "in.safetensors", "resume": true}
  },
  "devices": {"kind": "auto", "transport": "nccl", "ranks": [1, 2], "throttle": {"bytes_per_second": 1e9},
              "memory_bytes": 1000000},
  "strategies": ["single", {"kind": "hybrid", "mesh": {"tensor": 2, "data": 1}, "expect": "out_of_memory",
                            "recompute": ["linear"]},
                 {"kind": "ddp", "ranks": [2, 4]}],
  "measure": {"timeout_seconds": 0.5}
})";

/// Returns the request for a case of the first workload, as the supervisor makes it on a machine with GPUs.
WorkerRequest request() {
  Experiment all = parse_experiment(quick_configuration, "quick.json", {}, real_registries());
  all.devices.kind = "cuda";
  all.devices.derived.is_accelerator = true;
  all.devices.derived.seen = 2;
  all.derived = {"0123", true};
  for (Variant& one : all.variants) one.workload.derived.definition = "feed";
  WorkerRequest made{of_variant(all, 0), {}, "out/trace/001.json"};
  made.experiment.locations = {{"/name", {0, 2, 3}}};
  made.which.id = "001";
  made.which.strategy = all.strategies[1];
  made.which.family = "hybrid";
  made.which.ranks = 2;
  made.which.oversubscribed = true;
  made.which.shares_devices = true;
  made.which.seed = 18446744073709551615ull;
  made.which.global_batch = 1LL << 40;
  made.which.contract_id = "abc";
  made.which.resume_from = "out/checkpoints/001-step-12.safetensors";
  made.which.stop_file = "out/stop";
  return made;
}

}  // namespace

TEST_CASE("a worker receives exactly what the supervisor knows") {
  const WorkerRequest sent = request();
  const WorkerRequest back = decode_request(encode(sent));

  CHECK(encode(back) == encode(sent));
  CHECK(back.trace_file == sent.trace_file);
  const Experiment& experiment = back.experiment;
  CHECK(experiment.resolved == sent.experiment.resolved);
  CHECK(experiment.sources.file == "quick.json");
  CHECK(experiment.locations == sent.experiment.locations);
  CHECK(experiment.name == "quick-start");
  CHECK(experiment.variants.empty());
  CHECK(experiment.workload.model == sent.experiment.workload.model);
  CHECK(experiment.workload.dataset == sent.experiment.workload.dataset);
  CHECK(experiment.workload.global_batch == std::vector<std::int64_t>{32, 64});
  CHECK(experiment.workload.loader.workers == 4);
  CHECK(experiment.workload.loader.prefetch == 2);
  CHECK(experiment.workload.loader.skips_corrupt());
  CHECK(experiment.workload.derived.label == "mlp");
  CHECK(experiment.workload.derived.definition == "feed");
  CHECK(experiment.training.epochs == 9);
  CHECK(experiment.training.seed == std::vector<std::uint64_t>{9007199254740991, 2});
  CHECK(experiment.training.precision == "fp16");
  CHECK(experiment.training.loss_scale == Choice{"fixed", {{"scale", 128.0}}});
  CHECK(experiment.training.optimizer == sent.experiment.training.optimizer);
  CHECK(experiment.training.learning_rate() == 0.25);
  CHECK(experiment.training.rate.schedule == sent.experiment.training.rate.schedule);
  CHECK(experiment.training.rate.warmup_start == 0.1);
  CHECK(experiment.training.target.loss == 0.5);
  CHECK_FALSE(experiment.training.target.accuracy);
  CHECK(experiment.training.checkpoint.save.empty());
  CHECK(experiment.training.checkpoint.load == "in.safetensors");
  CHECK(experiment.training.checkpoint.resume);
  CHECK(experiment.devices.kind == "cuda");
  CHECK(experiment.devices.transport == sent.experiment.devices.transport);
  CHECK(experiment.devices.transport_choice() == "nccl");
  CHECK(experiment.devices.ranks == std::vector<int>{1, 2});
  CHECK(experiment.devices.throttle.link.bytes_per_second == 1e9);
  CHECK(experiment.devices.memory_bytes == 1000000);
  CHECK(experiment.devices.derived.is_accelerator);
  CHECK(experiment.devices.derived.seen == 2);
  CHECK(experiment.derived.start_digest == "0123");
  CHECK(experiment.derived.certificates_only);
  CHECK(experiment.measure.timeout_seconds == 0.5);
  REQUIRE(experiment.strategies.size() == 3);
  CHECK_FALSE(experiment.strategies[1].ranks);
  CHECK(experiment.strategies[2].ranks == std::vector<int>{2, 4});
  CHECK(back.which.strategy.choice == sent.which.strategy.choice);
  CHECK(back.which.strategy.label == sent.which.strategy.label);
  CHECK(back.which.strategy.expect == "out_of_memory");
  CHECK(back.which.seed == sent.which.seed);
  CHECK(back.which.global_batch == sent.which.global_batch);
  CHECK(back.which.oversubscribed);
  CHECK(back.which.shares_devices);
}

TEST_CASE("a text that is not a request is rejected") {
  CHECK_THROWS_AS(decode_request("{}"), ContractError);
  CHECK_THROWS_AS(decode_request("nonsense"), ContractError);
  WorkerRequest nowhere = request();
  nowhere.which.strategy.index = 3;
  CHECK_THROWS_AS(decode_request(encode(nowhere)), ContractError);
}
