#include "kernels/cuda/choose.h"

#include <utility>

#include "base/error.h"
#include "catch.h"
#include "graph/ops/shape.h"
#include "kernels/cuda/memory.h"
#include "kernels/kernel_table.h"

using namespace ddlbench;
using namespace ddlbench::kernels::cuda;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

kernels::Binding addition() {
  const graph::TensorType numbers{{4}};
  return {{std::make_shared<graph::Add>()}, {numbers, numbers}, {numbers}};
}

KernelCandidate candidate(const std::string& name, std::size_t workspace_bytes, int group = 0) {
  const auto make = [workspace_bytes] {
    return kernels::make_kernel(addition(), workspace_bytes, [](const kernels::Arguments&) {});
  };
  return {name, group, false, make, TensorCores::unknown};
}

/// Returns a candidate that cannot be made, as when a library gets no memory.
KernelCandidate candidate_out_of_memory(const std::function<void()>& before = [] {}) {
  const auto make = [before]() -> std::unique_ptr<kernels::Kernel> {
    before();
    throw OutOfMemory("no memory for a plan");
  };
  return {"out of memory", 0, false, make, TensorCores::unknown};
}

/// Returns the names of the candidates that would take part in autotuning.
std::vector<std::string> kept_of(const std::vector<KernelCandidate>& candidates, std::size_t gpu_bytes) {
  Context context;
  context.max_workspace_bytes = max_workspace_bytes(gpu_bytes);
  std::vector<std::string> names;
  context.planned = [&](const kernels::Binding&, const std::vector<PlannedCandidate>& planned) {
    for (const PlannedCandidate& one : planned) names.push_back(one.candidate->name);
  };
  CHECK(choose_fastest(context, addition(), candidates) != nullptr);
  return names;
}

}  // namespace

TEST_CASE("the workspace limit is the largest power of two in a thirty-second of a GPU's memory") {
  CHECK(max_workspace_bytes(150000000000) == 4096 * mib);
  CHECK(max_workspace_bytes(85000000000) == 2048 * mib);
  CHECK(max_workspace_bytes(32 * mib) == mib);
}

TEST_CASE("a candidate above the workspace limit is excluded; one that needs 1 GiB on an H200 is not") {
  const std::vector<KernelCandidate> candidates{candidate("much", 5000 * mib), candidate("some", 1024 * mib),
                                                candidate("none", 0)};
  CHECK(kept_of(candidates, 150000000000) == std::vector<std::string>{"some", "none"});
  CHECK(kept_of(candidates, 16000000000) == std::vector<std::string>{"none"});
}

TEST_CASE("the first eight candidates of each group that can be made are kept") {
  std::vector<KernelCandidate> candidates;
  for (int i = 0; i < 10; ++i) candidates.push_back(candidate("first " + std::to_string(i), 0, 1));
  candidates[2].make = [] { return nullptr; };
  candidates.push_back(candidate("second", 0));
  const auto kept = kept_of(candidates, 150000000000);
  REQUIRE(kept.size() == 9);
  CHECK(kept[2] == "first 3");
  CHECK(kept[7] == "first 8");
  CHECK(kept[8] == "second");
}

TEST_CASE("a candidate that runs out of memory while it is made is excluded") {
  CHECK(kept_of({candidate_out_of_memory(), candidate("second", 0)}, 150000000000) ==
        std::vector<std::string>{"second"});
}

TEST_CASE("a choice without a candidate that ran out of memory is not reliable, and the error is cleared") {
  Context context;
  context.max_workspace_bytes = 100;
  for (const bool out_of_memory : {false, true}) {
    CAPTURE(out_of_memory);
    cudaError_t last = cudaSuccess;
    const auto fail = [&last] { last = cudaErrorMemoryAllocation; };
    std::vector<KernelCandidate> candidates{candidate("second", 0)};
    if (out_of_memory) candidates.insert(candidates.begin(), candidate_out_of_memory(fail));
    const ChoosingGpu gpu{[&last] { return std::exchange(last, cudaSuccess); },
                          [&last](const auto& bound_candidates, std::size_t) {
                            CHECK(last == cudaSuccess);
                            return Fastest{bound_candidates.front().index};
                          }};
    const Chosen chosen = choose(context, addition(), candidates, gpu);
    CHECK(chosen.choice.candidate == "second");
    CHECK(chosen.choice.reliable == !out_of_memory);
    CHECK(chosen.kernel != nullptr);
  }
}

TEST_CASE("an op is out of memory, not unsupported, if memory is why none of its candidates can be made") {
  Context context;
  context.max_workspace_bytes = 100;
  context.planned = [](const kernels::Binding&, const std::vector<PlannedCandidate>&) {};
  CHECK_THROWS_AS(choose_fastest(context, addition(), {candidate_out_of_memory(), candidate("much", 101)}),
                  OutOfMemory);
}

TEST_CASE("an op without a candidate within the workspace limit is rejected, and the limit is named") {
  Context context;
  context.max_workspace_bytes = 100;
  context.planned = [](const kernels::Binding&, const std::vector<PlannedCandidate>&) {};
  try {
    choose_fastest(context, addition(), {candidate("much", 101)});
    FAIL("it was bound");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("at most 100 bytes of workspace") != std::string::npos);
  }
}
