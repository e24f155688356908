// Every strategy must train over processes as over threads: with the same losses, and a certificate.

#include <limits>

#include "../case/small_case.h"
#include "base/error.h"
#include "bench/case/trainer.h"
#include "catch.h"
#include "comm/process_place.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

struct Outcome {
  RecordedProgress heard;
  Measurement measurement;
};

Outcome run_over(const std::string& transport, SmallCase small) {
  small.experiment.devices.transport = transport;
  small.experiment.measure.predict = true;
  Outcome outcome;
  outcome.measurement = run_case(small.experiment, small.which, "", outcome.heard);
  return outcome;
}

/// Returns cases of the strategies that this many processes can run.
std::vector<SmallCase> cases_for(int processes) {
  std::vector<SmallCase> cases;
  cases.emplace_back("single");
  if (processes >= 2) {
    cases.emplace_back("ddp", 2);
    cases.emplace_back("tensor", 2);
    cases.emplace_back("gpipe", 2, OptionValues{{"microbatches", std::int64_t{3}}});
    cases.emplace_back("1f1b", 2, OptionValues{{"microbatches", std::int64_t{4}}});
    cases.emplace_back("zero", 2, OptionValues{{"stage", std::int64_t{3}}});
  }
  if (processes >= 4) {
    cases.emplace_back("hybrid", 4, OptionValues{{"mesh", AxisSizes{{"data", 2}, {"pipeline", 2}}}});
    cases.emplace_back("zero", 4, OptionValues{{"stage", std::int64_t{2}}});
  }
  return cases;
}

}  // namespace

TEST_CASE("a case over processes gives the same results as over threads") {
  const comm::ProcessPlace place = comm::process_place().value();
  for (SmallCase& small : cases_for(place.size)) {
    INFO(small.which.id << " of " << small.which.ranks);
    small.experiment.devices.collectives = "ring";  // the order of sums is part of the result
    const Outcome processes = run_over("mpi", small);
    if (place.rank != 0) {
      CHECK(processes.heard.phases.empty());
      CHECK(processes.heard.epochs.empty());
      continue;
    }
    const Outcome threads = run_over("threads", small);
    CHECK(processes.measurement.certified);
    CHECK(processes.heard.ranks.size() == static_cast<std::size_t>(small.which.ranks));
    CHECK(processes.measurement.sent_bytes_per_rank_per_step == threads.measurement.sent_bytes_per_rank_per_step);
    CHECK(processes.measurement.peak_memory_bytes >= threads.measurement.peak_memory_bytes);
    REQUIRE(processes.heard.epochs.size() == threads.heard.epochs.size());
    for (std::size_t i = 0; i < threads.heard.epochs.size(); ++i) {
      CHECK(processes.heard.epochs[i].train_loss == Approx(threads.heard.epochs[i].train_loss).epsilon(1e-5));
      CHECK(processes.heard.epochs[i].validation_loss == Approx(threads.heard.epochs[i].validation_loss).epsilon(1e-5));
    }
  }
}

TEST_CASE("a case whose rank 0 lacks the memory for a certificate trains without one over processes", "[F4]") {
  const comm::ProcessPlace place = comm::process_place().value();
  SmallCase small("ddp", place.size);
  small.experiment.devices.transport = "mpi";
  const auto little = [] { return platform::AvailableMemory{{1, "a test"}, {1, "a test"}}; };
  RecordedProgress heard;
  const Measurement found = run_case_within(little, small.experiment, small.which, "", heard);
  if (place.rank != 0) return;
  CHECK(found.certificate_reason.find("not enough memory: needs ") == 0);
  CHECK_FALSE(found.certificate_update);
  CHECK(heard.epochs.size() == 3);
}

TEST_CASE("an error in one process is thrown in all processes") {
  const int size = comm::process_place().value().size;
  SmallCase small("ddp", size);
  small.experiment.training.optimizer.options["learning_rate"] = 1e30;
  small.experiment.measure.verify_steps = 0;
  try {
    run_over("mpi", small);
    FAIL("no exception");
  } catch (const NonFinite& error) {
    CHECK(std::string(error.what()).find("rank") != std::string::npos);
  }
}

TEST_CASE("an error in process 0 before the launch is thrown in all processes") {
  const comm::ProcessPlace place = comm::process_place().value();
  SmallCase small("ddp", place.size);
  if (place.rank == 0) small.which.global_batch = 501;
  try {
    run_over("mpi", small);
    FAIL("no exception");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("a global batch of 501 samples") != std::string::npos);
  }
}

TEST_CASE("any choice of collectives trains the same, and nominal bytes are marked", "[2-or-more-ranks]") {
  const comm::ProcessPlace place = comm::process_place().value();
  REQUIRE(place.size >= 2);
  for (const char* collectives : {"auto", "native", "recursive_doubling"}) {
    INFO(collectives);
    SmallCase small("zero", 2, {{"stage", std::int64_t{2}}});
    small.experiment.devices.collectives = collectives;
    const Outcome outcome = run_over("mpi", small);
    if (place.rank != 0) continue;
    CHECK(outcome.measurement.certified);
    CHECK(outcome.measurement.collectives.find("reduce_scatter: ") != std::string::npos);
    const bool native = outcome.measurement.collectives.find("native") != std::string::npos;
    CHECK(outcome.measurement.sent_bytes_nominal == native);
    if (std::string(collectives) == "native") CHECK(native);
  }
}

TEST_CASE("over a throttled link training is the same, and native collectives are rejected with the reason",
          "[2-or-more-ranks]") {
  const comm::ProcessPlace place = comm::process_place().value();
  REQUIRE(place.size >= 2);
  SmallCase small("ddp", 2);
  small.experiment.devices.throttle.link = {1e-4, 1.25e8};
  const Outcome outcome = run_over("mpi", small);
  CHECK(outcome.measurement.certified == (place.rank == 0));
  small.experiment.devices.collectives = "native";
  try {
    run_over("mpi", small);
    CHECK(place.rank >= 2);
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("throttle") != std::string::npos);
  }
}
