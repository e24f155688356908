#include <algorithm>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/case/trainer.h"
#include "catch.h"
#include "failure.h"
#include "graph/flops.h"
#include "small_case.h"
#include "strategies/strategy.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

Measurement run(SmallCase small, RecordedProgress& heard, const std::string& trace = "") {
  small.experiment.measure.predict = true;
  return run_case(small.experiment, small.which, trace, heard);
}

/// Checks what holds for every case that succeeds.
void require_whole(const SmallCase& small, const Measurement& found, const RecordedProgress& heard) {
  INFO(small.which.id << ": " << found.certificate_reason);
  CHECK(found.certified);
  CHECK(found.certificate_reason.empty());
  CHECK(found.certificate_loss.value() <= 1e-4);
  CHECK(found.certificate_update.value() <= std::max(1e-3, 10 * found.noise_update.value()));
  CHECK(found.promise == "exact");

  CHECK(found.step_seconds > 0);
  CHECK(found.step_seconds_low <= found.step_seconds);
  CHECK(found.step_seconds_high >= found.step_seconds);
  CHECK(found.samples_per_second == Approx(small.which.global_batch / found.step_seconds));
  CHECK(found.budget.total() == Approx(found.step_seconds).epsilon(0.01));
  CHECK(found.peak_memory_bytes > 0);

  REQUIRE(heard.ranks.size() == static_cast<std::size_t>(small.which.ranks));
  double total = 0;
  for (const RankRecord& rank : heard.ranks) {
    CHECK(rank.case_id == small.which.id);
    CHECK(rank.flops_per_step > 0);
    total += rank.budget.total() / small.which.ranks;
  }
  CHECK(total == Approx(found.step_seconds).epsilon(0.01));
  const graph::Graph model = prepare(small.experiment, small.which).model;
  CHECK(found.flops_per_second.value() == Approx(graph::training_flops(model) / found.step_seconds));

  REQUIRE(heard.epochs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(heard.epochs[i].case_id == small.which.id);
    CHECK(heard.epochs[i].epoch == static_cast<int>(i) + 1);
    CHECK_FALSE(heard.epochs[i].perplexity.has_value());
    CHECK(heard.epochs[i].top5_accuracy_ratio >= heard.epochs[i].accuracy_ratio);
    CHECK(heard.epochs[i].top5_accuracy_ratio <= 1);
  }
  CHECK(heard.epochs[2].train_loss < heard.epochs[0].train_loss);
  CHECK(found.epoch_seconds_source == "measured");
  CHECK(found.epoch_seconds == Approx((heard.epochs[1].epoch_seconds + heard.epochs[2].epoch_seconds) / 2));
  CHECK(found.final_train_loss == heard.epochs[2].train_loss);
  CHECK(found.final_validation_loss == heard.epochs[2].validation_loss);
  CHECK(found.final_accuracy_ratio == heard.epochs[2].accuracy_ratio);
  CHECK(found.final_accuracy_ratio > 0.9);

  CHECK(heard.phases == std::vector<std::string>{"prepare", "compile", "reference", "bind", "calibrate", "verify",
                                                 "warm up", "measure", "train epoch 1", "validate", "train epoch 2",
                                                 "validate", "train epoch 3", "validate"});
  CHECK(std::is_sorted(heard.fractions.begin(), heard.fractions.end()));
  CHECK(heard.fractions.back() <= 1);
}

std::string message_of(const SmallCase& small) {
  RecordedProgress heard;
  return test::failure_of([&] { run(small, heard); });
}

}  // namespace

TEST_CASE("One rank is its own reference, to the bit", "[case]") {
  const SmallCase small("single");
  RecordedProgress heard;
  const Measurement found = run(small, heard);
  require_whole(small, found, heard);
  CHECK(found.certificate_loss.value() == 0);
  CHECK(found.certificate_gradient.value() == 0);
  CHECK(found.certificate_update.value() == 0);
  CHECK(found.sent_bytes_per_rank_per_step == 0);
  CHECK(found.budget.communication == 0);
  CHECK(found.budget.bubble == 0);
}

TEST_CASE("A case that is not to be predicted skips the calibration", "[case]") {
  const SmallCase small("ddp", 2);
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  CHECK(found.certified);
  CHECK_FALSE(found.prediction);
  CHECK(std::count(heard.phases.begin(), heard.phases.end(), "calibrate") == 0);
  RecordedProgress predicted;
  CHECK(run(small, predicted).prediction);
}

TEST_CASE("A visit times its steps with the given collectives, and nothing else", "[case]") {
  SmallCase small("ddp", 2);
  RecordedProgress first;
  const Measurement whole = run(small, first);
  REQUIRE(whole.collective_choices);
  CHECK_FALSE(whole.collective_choices->empty());
  CHECK(*whole.certificate_steps == small.experiment.measure.verify_steps);
  CHECK(*whole.steps_per_epoch == 500 / 48);

  small.which.visit_steps = 7;
  small.which.collective_choices = *whole.collective_choices;
  RecordedProgress heard;
  const Measurement visit = run(small, heard);
  CHECK(heard.phases == std::vector<std::string>{"prepare", "compile", "bind", "warm up", "measure"});
  CHECK(heard.fractions.back() <= 1);
  CHECK(heard.epochs.empty());
  CHECK(visit.step_seconds > 0);
  CHECK(visit.budget.total() == Approx(visit.step_seconds).epsilon(0.01));
  CHECK(visit.collectives == whole.collectives);
  CHECK_FALSE(visit.certificate_steps);
  CHECK(visit.epoch_seconds_source.empty());

  small.which.collective_choices = "no_such_algorithm key\n";
  CHECK_THROWS_AS(run(small, heard), InputError);
}

TEST_CASE("Without warm-up steps, the measurement begins after the fill of the cadence", "[case]") {
  SmallCase small("priority", 2, {{"link_gigabits", 0.001}});
  small.experiment.measure.warmup_steps = 0;
  RecordedProgress heard;
  const Measurement found = run(small, heard);
  require_whole(small, found, heard);
}

TEST_CASE("Equal cases train identically", "[case]") {
  const SmallCase small("single");
  RecordedProgress one;
  RecordedProgress other;
  run(small, one);
  run(small, other);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(one.epochs[i].train_loss == other.epochs[i].train_loss);
    CHECK(one.epochs[i].validation_loss == other.epochs[i].validation_loss);
  }
}

TEST_CASE("Every strategy trains the same network", "[case]") {
  const SmallCase alone("single");
  RecordedProgress reference;
  run(alone, reference);
  for (const SmallCase& small : {SmallCase("ddp", 2), SmallCase("ddp", 3), SmallCase("tensor", 2),
                                 SmallCase("gpipe", 2), SmallCase("gpipe", 2, {{"recompute", Strings{"full"}}})}) {
    RecordedProgress heard;
    const Measurement found = run(small, heard);
    require_whole(small, found, heard);
    CHECK(found.sent_bytes_per_rank_per_step > 0);
    CHECK(found.launches_per_rank_per_step > 0);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(heard.epochs[i].train_loss == Approx(reference.epochs[i].train_loss).epsilon(1e-2));
      CHECK(heard.epochs[i].accuracy_ratio == Approx(reference.epochs[i].accuracy_ratio).margin(0.02));
    }
  }
}

TEST_CASE("A case on the CPU device with Adam is certified", "[case]") {
  SmallCase small("ddp", 2);
  small.experiment.devices.kind = "cpu";
  small.experiment.training.optimizer = {"adam", {{"learning_rate", 0.003}}};
  RecordedProgress heard;
  const Measurement found = run(small, heard);
  require_whole(small, found, heard);
  // The noise comes from sums in another order. The reference device sums in f64 and might not show any.
  CHECK(found.noise_update.value() > 0);
  CHECK(found.noise_update.value() < 1e-3);
}

TEST_CASE("A case writes the trace of a step", "[case]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "trace/case.json";
  const SmallCase small("ddp", 2);
  RecordedProgress heard;
  run(small, heard, path);
  std::ifstream file(path);
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::map<std::pair<int, std::string>, int> events;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") ++events[{event.at("pid").get<int>(), event.at("cat").get<std::string>()}];
  }
  for (const int rank : {0, 1}) {
    for (const char* category : {"input", "forward", "backward_weight", "optimizer", "communication"}) {
      INFO("rank " << rank << ", " << category);
      CHECK(events[{rank, category}] > 0);
    }
  }
}

TEST_CASE("A trace that cannot be written is reported, and the case ends as without one", "[case][F14]") {
  const SmallCase small("ddp", 2);
  RecordedProgress heard;
  const Measurement found = run(small, heard, "/proc/nowhere/case.json");
  require_whole(small, found, heard);
  REQUIRE(found.trace_failure);
  CHECK(found.trace_failure->find("/proc/nowhere: the trace's folder cannot be created") == 0);
  RecordedProgress other;
  CHECK_FALSE(run(small, other).trace_failure);
}

TEST_CASE("A case without verification says so", "[case]") {
  SmallCase small("single");
  small.experiment.measure.verify_steps = 0;
  RecordedProgress heard;
  const Measurement found = run(small, heard);
  CHECK_FALSE(found.certified);
  CHECK_FALSE(found.certificate_loss.has_value());
  CHECK(found.certificate_reason == "measure/verify_steps is 0");
}

TEST_CASE("A NaN loss ends the case on all ranks, naming step and rank", "[case]") {
  for (const int ranks : {1, 2}) {
    SmallCase small(ranks == 1 ? "single" : "ddp", ranks);
    small.experiment.training.optimizer.options["learning_rate"] = 1e30;
    small.experiment.measure.verify_steps = ranks == 1 ? 3 : 0;  // else the reference would fail first
    RecordedProgress heard;
    CHECK_THROWS_AS(run(small, heard), NonFinite);
    const std::string message = message_of(small);
    INFO(message);
    CHECK(message.find("step ") != std::string::npos);
    CHECK(message.find("rank ") != std::string::npos);
  }
}

TEST_CASE("A case that cannot run says why", "[case]") {
  RecordedProgress heard;
  SmallCase large("single");
  large.which.global_batch = 501;
  CHECK_THROWS_AS(run(large, heard), InputError);
  CHECK(message_of(large).find("501 samples is more than the 500") != std::string::npos);

  SmallCase many("single", 2);
  CHECK_THROWS_AS(run(many, heard), strategies::Unsupported);

  SmallCase missing("single");
  missing.experiment.workload.dataset = {"idx", {{"path", std::string("/nowhere/at/all")}}};
  CHECK_THROWS_AS(run(missing, heard), workloads::BadData);
}
