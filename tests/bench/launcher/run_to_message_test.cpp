#include "bench/launcher/run_to_message.h"

#include "bench/case/train.h"
#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("a training that was asked to stop is interrupted, with its reason") {
  NullProgress nowhere;
  const CaseRunner run = [](const Experiment&, const Case&, const std::string&, Progress&) -> Measurement {
    throw Interrupted("stopped after step 7 in epoch 2, with the checkpoint x-step-7.safetensors");
  };
  const Message last = run_to_message(run, {}, nowhere);
  const auto* failure = std::get_if<Failure>(&last);
  REQUIRE(failure != nullptr);
  CHECK(failure->status == Status::interrupted);
  CHECK(failure->reason == "stopped after step 7 in epoch 2, with the checkpoint x-step-7.safetensors");
}
