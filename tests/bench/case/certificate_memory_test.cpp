#include "bench/case/certificate_memory.h"

#include <atomic>
#include <sstream>

#include "bench/case/verify.h"
#include "catch.h"
#include "platform/heap.h"
#include "program/account.h"
#include "small_case.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr std::int64_t plenty = std::int64_t{1} << 50;

/// Reports `bytes` as available to the process, and plenty on the machine.
platform::MemoryProbe with(std::int64_t bytes) {
  return [bytes] { return platform::AvailableMemory{{bytes, "a test"}, {plenty, "a test"}}; };
}

Measurement run_with(const SmallCase& small, const platform::MemoryProbe& memory, RecordedProgress& heard) {
  return run_case_within(memory, small.experiment, small.which, "", heard);
}

/// P of the small case: 64 features, layers of 32 and 16, 4 classes.
constexpr std::int64_t parameter_bytes = 4 * (64 * 32 + 32 + 32 * 16 + 16 + 16 * 4 + 4);

/// Returns a case with large layers, so that other memory hardly matters.
SmallCase large_case() {
  SmallCase small("single");
  small.experiment.workload.model.options["hidden"] = Integers{1024, 1024};
  small.experiment.devices.kind = "cpu";
  return small;
}

}  // namespace

TEST_CASE("a certificate's trace consists of weights, gradients and statistics", "[F4]") {
  const SmallCase small("single");
  const ModelBytes bytes = bytes_of(prepare(small.experiment, small.which).model);
  CHECK(bytes.parameters == parameter_bytes);
  CHECK(bytes.statistics == 0);
  CHECK(bytes.largest == 4 * 64 * 32);
  CHECK(bytes.trace() == 3 * parameter_bytes);
}

TEST_CASE("a case with enough memory to train but not for its certificate trains without one", "[F4]") {
  for (const SmallCase& small : {SmallCase("single"), SmallCase("ddp", 2)}) {
    INFO(small.which.id);
    RecordedProgress heard, before;
    const Measurement found = run_with(small, with(1 << 20), heard);
    CHECK(found.certificate_reason.find("not enough memory: needs ") == 0);
    CHECK(found.certificate_reason.find(", 1.00 MiB (1048576 bytes) available (a test)") != std::string::npos);
    CHECK_FALSE(found.certificate_update);
    CHECK_FALSE(found.certified);
    CHECK(found.step_seconds > 0);
    REQUIRE(heard.epochs.size() == 3);
    CHECK(run_with(small, with(plenty), before).certified);
    CHECK(heard.epochs[2].train_loss == before.epochs[2].train_loss);
    CHECK(heard.fractions.back() <= 1);
  }
}

TEST_CASE("a reference is freed if the case does not fit beside it", "[F4]") {
  const SmallCase small("ddp", 2);
  std::atomic<int> asked = 0;
  RecordedProgress heard;
  const Measurement found = run_with(
      small,
      [&] {
        return platform::AvailableMemory{{plenty, ""}, {asked++ == 0 ? plenty : 0, "a test"}};
      },
      heard);
  CHECK(asked == 2);
  CHECK(found.certificate_reason.find("not enough memory: needs ") == 0);
  CHECK(found.certificate_reason.find(", 0 B (0 bytes) available (a test)") != std::string::npos);
  CHECK(heard.epochs.size() == 3);
}

TEST_CASE("a reference runs if exactly the memory it needs is available, and takes no more", "[F4]") {
  const SmallCase small = large_case();
  const Setup setup = prepare(small.experiment, small.which);
  const ModelBytes bytes = bytes_of(setup.model);
  std::int64_t needed = 0;
  RecordedProgress heard;
  std::ostringstream log;
  Heartbeat heartbeat(heard, 6, log);
  const Reference missing = run_reference(setup, 2, heartbeat, with(0));
  REQUIRE(std::sscanf(missing.missing.c_str(), "not enough memory: needs %*s MiB (%ld", &needed) == 1);
  CHECK_FALSE(run_reference(setup, 2, heartbeat, with(needed - 1)).missing.empty());
  const std::int64_t before = platform::heap_bytes();
  platform::reset_heap_peak();
  const Reference there = run_reference(setup, 2, heartbeat, with(needed));
  CHECK(there.missing.empty());
  CHECK(there.noise.update >= 0);
  if (!platform::heap_is_counted()) return;
  // Memory that the device allocates is not on the heap, and equals the plan's to the byte.
  const std::int64_t taken = platform::heap_peak_bytes() - before;
  CHECK(taken >= 2 * bytes.trace());
  CHECK(taken <= 2 * bytes.trace() + bytes.largest + (std::int64_t{8} << 20));
}

TEST_CASE("a reference shared by cases is not read if it does not fit", "[F4]") {
  const test::TemporaryFolder folder;
  SmallCase small("single");
  small.which.reference_file = folder / "reference";
  RecordedProgress heard;
  REQUIRE(run_with(small, with(plenty), heard).certified);
  const Measurement found = run_with(small, with(0), heard);
  CHECK(found.certificate_reason.find("not enough memory: needs ") == 0);
}
