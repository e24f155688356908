#include "bench/case/checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "all_strategies.h"
#include "base/error.h"
#include "bench/case/setup.h"
#include "catch.h"
#include "failure.h"
#include "file_digest.h"
#include "runtime/checkpoint/checkpoint.h"
#include "workloads/dataset.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns a case with three epochs, saved after each, and minimal measurement.
SmallCase saving(const StrategyRun& way, const std::string& folder, const std::string& optimizer = "adam") {
  SmallCase small = four_layers(way.strategy, way.ranks, way.options);
  small.which.contract_id = "contract";
  small.experiment.training.epochs = 3;
  small.experiment.training.seed = {1};
  small.experiment.training.optimizer =
      optimizer == "adam" ? adam_or_momentum(way) : Choice{optimizer, {{"learning_rate", 0.05}}};
  small.experiment.training.checkpoint.save = folder;
  small.experiment.measure = without_prediction({0, 1, 1, 0, 30});
  return small;
}

SmallCase resuming(const StrategyRun& way, const std::string& path, const std::string& folder,
                   const std::string& optimizer = "adam") {
  SmallCase small = saving(way, folder, optimizer);
  small.experiment.training.checkpoint.load = path;
  small.experiment.training.checkpoint.resume = true;
  return small;
}

std::string path_of(const SmallCase& small, int epochs) {
  return small.experiment.training.checkpoint.save + "/" + small.which.id + "-epoch-" + std::to_string(epochs) +
         ".safetensors";
}

std::string refusal_to_prepare(const SmallCase& small) {
  return test::failure_of<workloads::BadData>([&] { prepare(small.experiment, small.which); });
}

std::vector<StrategyRun> some_ways() {
  OptionValues stages = mesh({{"data", 2}, {"pipeline", 2}}, 4);
  stages["schedule"] = std::string("1f1b");
  stages["zero"] = std::int64_t{1};
  return {{"single", 1, parts(1)}, {"zero", 3, zero(3, 1)}, {"tensor", 2, parts(1)}, {"gpipe", 2, parts(4)},
          {"hybrid", 4, stages},   {"ddp", 2, parts(2)},    {"zero", 2, zero(2, 2)}};
}

}  // namespace

TEST_CASE("A training that is interrupted and resumed ends as if uninterrupted, to the bit", "[case]") {
  for (const StrategyRun& way : some_ways()) {
    const test::TemporaryFolder folder;
    const SmallCase whole = saving(way, folder / "whole");
    INFO(whole.which.id);
    const RecordedProgress at_once = recorded_run(whole);
    REQUIRE(at_once.epochs.size() == 3);
    const RecordedProgress later = recorded_run(resuming(way, path_of(whole, 1), folder / "later"));
    REQUIRE(later.epochs.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(later.epochs[i].epoch == at_once.epochs[i + 1].epoch);
      CHECK(later.epochs[i].train_loss == at_once.epochs[i + 1].train_loss);
      CHECK(later.epochs[i].validation_loss == at_once.epochs[i + 1].validation_loss);
    }
    const SmallCase resumed = resuming(way, path_of(whole, 1), folder / "later");
    CHECK(test::digest_of_file(path_of(resumed, 3)) == test::digest_of_file(path_of(whole, 3)));
    CHECK(runtime::origin_of(path_of(resumed, 3)).step == 6);
  }
}

TEST_CASE("A checkpoint of any strategy can be resumed by any other, with a certificate", "[case]") {
  const test::TemporaryFolder folder;
  const std::vector<StrategyRun> ways = some_ways();
  const RecordedProgress alone = recorded_run(saving(ways[0], folder / "alone", "sgd"));
  for (std::size_t i = 1; i < ways.size(); ++i) {
    const SmallCase whole = saving(ways[i], folder / "saved", "sgd");
    recorded_run(whole);
    const StrategyRun& other = ways[1 + i % (ways.size() - 1)];
    SmallCase next = resuming(other, path_of(whole, 2), folder / "next", "sgd");
    next.experiment.measure.verify_steps = 2;
    INFO(whole.which.id << " resumed by " << next.which.id);
    RecordedProgress heard;
    const Measurement found = run_case(next.experiment, next.which, "", heard);
    CHECK(found.certified);
    CHECK(found.certificate_loss.value() <= 1e-4);
    REQUIRE(heard.epochs.size() == 1);
    CHECK(heard.epochs[0].train_loss == Approx(alone.epochs[2].train_loss).epsilon(1e-4));
    CHECK(heard.epochs[0].validation_loss == Approx(alone.epochs[2].validation_loss).epsilon(1e-4));
  }
}

TEST_CASE("Loaded weights start a new training, and its certificate's reference", "[case]") {
  const test::TemporaryFolder folder;
  const SmallCase first = saving({"gpipe", 2, parts(4)}, folder / "first");
  const RecordedProgress trained = recorded_run(first);
  SmallCase second = saving({"tensor", 2, parts(1)}, folder / "second", "sgd");
  second.experiment.training.checkpoint = {.load = path_of(first, 3)};
  second.experiment.training.epochs = 1;
  second.experiment.measure.verify_steps = 3;
  RecordedProgress heard;
  CHECK(run_case(second.experiment, second.which, "", heard).certified);
  REQUIRE(heard.epochs.size() == 1);
  CHECK(heard.epochs[0].epoch == 1);
  CHECK(heard.epochs[0].train_loss < trained.epochs[1].train_loss);
  CHECK_FALSE(std::filesystem::exists(folder / "second"));
}

TEST_CASE("A GPT is stored in Hugging Face's layout, and can be loaded again", "[case]") {
  const test::TemporaryFolder folder;
  const auto gpt = [&](const StrategyRun& way) {
    SmallCase small = tiny_gpt(folder, way, true);
    small.experiment.training.epochs = 2;
    small.experiment.training.seed = {1};
    small.experiment.training.checkpoint.save = folder / "out";
    small.experiment.measure = without_prediction({0, 1, 1, 0, 30});
    return small;
  };
  const SmallCase whole = gpt({"zero", 2, zero(3, 1)});
  const RecordedProgress at_once = recorded_run(whole);
  const runtime::SafetensorsReader file(path_of(whole, 1));
  CHECK(file.tensors().size() == 28);
  CHECK(file.find("transformer.h.1.attn.c_attn.weight")->shape == graph::Shape{16, 48});
  CHECK(file.find("transformer.h.1.mlp.c_proj.weight")->shape == graph::Shape{64, 16});
  CHECK(file.find("lm_head.weight") == nullptr);

  for (const StrategyRun& way :
       {StrategyRun{"zero", 2, zero(3, 1)}, StrategyRun{"tensor", 4, parts(1)}, StrategyRun{"gpipe", 2, parts(2)}}) {
    SmallCase next = gpt(way);
    next.experiment.training.checkpoint = {.save = folder / "next", .load = path_of(whole, 1), .resume = true};
    const RecordedProgress heard = recorded_run(next);
    REQUIRE(heard.epochs.size() == 1);
    CHECK(heard.epochs[0].train_loss == Approx(at_once.epochs[1].train_loss).epsilon(1e-6));
  }
}

TEST_CASE("A training with lossy gradients that is resumed ends as if uninterrupted, to the bit", "[case]") {
  const test::TemporaryFolder folder;
  for (const StrategyRun& way : strategies_with_rules()) {
    const SmallCase whole = saving(way, folder / "whole");
    INFO(whole.which.id);
    const RecordedProgress at_once = recorded_run(whole);
    const RecordedProgress later = recorded_run(resuming(way, path_of(whole, 1), folder / "later"));
    REQUIRE(later.epochs.size() + 1 == at_once.epochs.size());
    for (std::size_t i = 0; i < later.epochs.size(); ++i)
      CHECK(later.epochs[i].train_loss == at_once.epochs[i + 1].train_loss);
  }
}

TEST_CASE("A checkpoint has the residuals of every rank, for as many ranks and the same strategy", "[case]") {
  const test::TemporaryFolder folder;
  const StrategyRun two{"compressed", 2, {}}, three{"compressed", 3, {}}, ddp{"ddp", 2, {}};
  const SmallCase of_two = saving(two, folder / "two"), of_three = saving(three, folder / "three");
  recorded_run(of_two);
  recorded_run(of_three);
  const runtime::SafetensorsReader file(runtime::state_path(path_of(of_two, 1)));
  const runtime::StoredTensor *first = file.find("fc1.weight.residual@0"), *second = file.find("fc1.weight.residual@1");
  REQUIRE((first != nullptr && second != nullptr));
  std::vector<float> a(static_cast<std::size_t>(runtime::elements(*first))), b(a.size());
  file.read(*first, 0, runtime::elements(*first), a.data());
  file.read(*second, 0, runtime::elements(*second), b.data());
  CHECK(a != b);
  const auto refusal = [&](const SmallCase& small) {
    return test::failure_of<std::exception>([&] { recorded_run(small); });
  };
  for (const std::string& said : {refusal(resuming(three, path_of(of_two, 1), folder / "a")),
                                  refusal(resuming(two, path_of(of_three, 1), folder / "b")),
                                  refusal(resuming(ddp, path_of(of_two, 1), folder / "c"))})
    CHECK_THAT(said, Catch::Contains("resume with the strategy and the number of ranks that wrote the file"));

  SmallCase certified = resuming(two, path_of(of_two, 1), folder / "d");
  certified.experiment.measure.verify_steps = 2;
  RecordedProgress heard;
  const Measurement found = run_case(certified.experiment, certified.which, "", heard);
  CHECK_FALSE(found.certified);
  CHECK(found.certificate_reason == "no replay of the rule: it would need the residuals of the checkpoint");
}

TEST_CASE("A checkpoint has the Q of PowerSGD, for the same approximation", "[case]") {
  const test::TemporaryFolder folder;
  const auto of_rank = [](std::int64_t rank) {
    return StrategyRun{"power_sgd", 2, {{"matrix_approximation_rank", rank}}};
  };
  const SmallCase saved = saving(of_rank(2), folder / "two"), of_ddp = saving({"ddp", 2, {}}, folder / "ddp");
  recorded_run(saved);
  recorded_run(of_ddp);
  const runtime::SafetensorsReader file(runtime::state_path(path_of(saved, 1)));
  const runtime::StoredTensor* q = file.find("fc1.weight.power_sgd_q@all");
  REQUIRE(q != nullptr);
  CHECK(q->shape[0] == 2);
  CHECK(file.find("fc1.weight.power_sgd_q@0") == nullptr);
  CHECK(file.find("fc1.weight.residual@1") != nullptr);
  const auto refusal = [&](const StrategyRun& way, const SmallCase& from, const char* to) {
    return test::failure_of<std::exception>([&] { recorded_run(resuming(way, path_of(from, 1), folder / to)); });
  };
  CHECK_THAT(refusal(of_rank(1), saved, "a"), Catch::Contains("power_sgd_q"));
  CHECK_THAT(refusal({"power_sgd", 3, {}}, saved, "b"), Catch::Contains("the number of ranks that wrote the file"));
  CHECK_THAT(refusal({"ddp", 2, {}}, saved, "c"), Catch::Contains("resume with the strategy"));
  CHECK_THAT(refusal(of_rank(2), of_ddp, "d"), Catch::Contains("resume with the strategy"));
  const StrategyRun codec{"compressed", 2, {}};
  CHECK_THAT(refusal(codec, saved, "e"), Catch::Contains("resume with the strategy"));
}

TEST_CASE("Checkpoints are saved every given number of epochs, and after the last one", "[case]") {
  const test::TemporaryFolder folder;
  SmallCase small = saving({"single", 1, parts(1)}, folder / "a/b");
  small.experiment.training.checkpoint.every_epochs = 2;
  recorded_run(small);
  CHECK_FALSE(std::filesystem::exists(path_of(small, 1)));
  CHECK(std::filesystem::exists(path_of(small, 2)));
  CHECK(std::filesystem::exists(path_of(small, 3)));
  const runtime::Origin origin = runtime::origin_of(path_of(small, 2));
  CHECK(origin.model == "mlp");
  CHECK(origin.model_options.find("32,24,16") != std::string::npos);
  CHECK(origin.optimizer == "adam");
  CHECK(origin.contract_id == "contract");
  CHECK((origin.epoch == 2 && origin.step == 4 && origin.seed == 1));

  std::ofstream(folder / "taken") << "a file";
  small.experiment.training.checkpoint.save = folder / "taken";
  CHECK_THROWS_AS(recorded_run(small), InputError);
}

TEST_CASE("A checkpoint that does not fit the training is rejected as bad data", "[case]") {
  const test::TemporaryFolder folder;
  const StrategyRun way{"ddp", 2, parts(1)};
  const SmallCase whole = saving(way, folder.path());
  recorded_run(whole);
  const SmallCase next = resuming(way, path_of(whole, 2), folder.path());
  CHECK(refusal_to_prepare(next) == "nothing was thrown");

  SmallCase odd = next;
  odd.experiment.training.checkpoint.load = path_of(whole, 3);
  test::check_says(refusal_to_prepare(odd), "has completed 3 epochs");
  odd = next;
  odd.experiment.training.optimizer = {"sgd", {{"learning_rate", 0.05}}};
  test::check_says(refusal_to_prepare(odd), "was trained with the optimizer adam, but this training uses sgd");
  odd = next;
  odd.which.seed = 2;
  test::check_says(refusal_to_prepare(odd), "was trained with seed 1");
  odd = next;
  odd.experiment.workload.model.options["hidden"] = Integers{32, 24, 17};
  test::check_says(refusal_to_prepare(odd), "of a different shape or type");
  odd = next;
  odd.experiment.training.checkpoint.load = folder / "nowhere";
  test::check_says(refusal_to_prepare(odd), "cannot be opened");
  CHECK_THROWS_AS(recorded_run(odd), workloads::BadData);
  CHECK_THROWS_AS(digest_of_start(odd.experiment.training.checkpoint), workloads::BadData);
  CHECK(digest_of_start({}).empty());
  CHECK(digest_of_start(next.experiment.training.checkpoint).size() == 33);
}
