#include <sstream>

#include "catch.h"
#include "compiled.h"
#include "program/print.h"

using namespace ddlbench;
using namespace ddlbench::strategies;
using program::MemoryClass;

namespace {

constexpr std::int64_t global_batch = 48;

OptionValues stage(std::int64_t z, std::int64_t microbatches = 1) {
  return {{"stage", z}, {"microbatches", microbatches}};
}

/// Returns the bytes of a memory class, summed over all ranks.
std::int64_t of_all(const program::Plan& plan, MemoryClass memory_class) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < plan.ranks(); ++rank)
    sum += program::account(plan, rank).peak_bytes_by_class[static_cast<std::size_t>(memory_class)];
  return sum;
}

std::string printed(const program::Plan& plan) {
  std::ostringstream text;
  program::print(text, plan);
  return text.str();
}

}  // namespace

TEST_CASE("zero compiles to valid plans, also with many buckets and micro-batches") {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (const std::int64_t z : {1, 2, 3})
      for (const std::int64_t microbatches : {1, 3})
        for (const double mebibytes : {0.001, 25.0})
          for (const std::int64_t prefetch : {0, 1, 4}) {
            if (z < 3 && prefetch != 1) continue;
            INFO("stage " << z << " on " << ranks << ", " << microbatches << " micro-batches, buckets of "
                          << mebibytes);
            OptionValues options = stage(z, microbatches);
            options["bucket_mebibytes"] = options["first_bucket_mebibytes"] = mebibytes;
            options["prefetch"] = prefetch;
            options["reshard"] = prefetch != 4;
            CHECK(findings(compiled("zero", ranks, 180, options)) == "");
          }
}

// Rajbhandari et al. 2020, table 1, in fp32 with SGD and momentum: 4 bytes each of parameters, gradients and momentum.
// What a stage shards exists once over all ranks, the rest once on each rank. 44,426 parameters are 177,704 bytes.
TEST_CASE("all ranks together hold the state that zero shards once") {
  for (const int n : {2, 3, 4}) {
    const auto whole = n * lenet_parameters * 4, once = lenet_parameters * 4;
    const program::Plan one = compiled("zero", n, global_batch, stage(1));
    CHECK(of_all(one, MemoryClass::parameters) == whole);
    CHECK(of_all(one, MemoryClass::gradients) == whole);
    CHECK(of_all(one, MemoryClass::optimizer_state) == once);
    const program::Plan two = compiled("zero", n, global_batch, stage(2));
    CHECK(of_all(two, MemoryClass::parameters) == whole);
    CHECK(of_all(two, MemoryClass::gradients) == once);
    CHECK(of_all(two, MemoryClass::optimizer_state) == once);
    const program::Plan three = compiled("zero", n, global_batch, stage(3));
    CHECK(of_all(three, MemoryClass::parameters) == once);
    CHECK(of_all(three, MemoryClass::gradients) == once);
    CHECK(of_all(three, MemoryClass::optimizer_state) == once);
  }
  const auto account = program::account(compiled("zero", 2, global_batch, stage(3)), 0);  // 12 Ψ/N
  CHECK(account.peak_bytes_by_class[0] + account.peak_bytes_by_class[1] + account.peak_bytes_by_class[2] == 266556);
}

// A reduce-scatter and an all-gather each send (n−1)/n·S per rank, (n−1)·S over all ranks (nccl-tests). Stage 1
// reduce-scatters once per step, stage 2 once per micro-batch; both all-gather once. Stage 3 reduce-scatters once and
// all-gathers twice per micro-batch.
TEST_CASE("zero sends 2Ψ, (m+1)Ψ and 3mΨ") {
  const std::int64_t psi = lenet_parameters * 4;
  for (const int n : {2, 3, 4})
    for (const std::int64_t m : {1, 4}) {
      if (global_batch % (n * m) != 0) continue;
      const auto sent = [&](std::int64_t scatters, std::int64_t gathers) {
        return std::map<std::string, std::int64_t>{{"all_gather", gathers * (n - 1) * psi},
                                                   {"reduce_scatter", scatters * (n - 1) * psi}};
      };
      CHECK(sent_by_all(compiled("zero", n, global_batch, stage(1, m))) == sent(1, 1));
      CHECK(sent_by_all(compiled("zero", n, global_batch, stage(2, m))) == sent(m, 1));
      CHECK(sent_by_all(compiled("zero", n, global_batch, stage(3, m))) == sent(m, 2 * m));
    }
  CHECK(sent_by_all(compiled("zero", 2, global_batch, stage(3, 4))) ==
        std::map<std::string, std::int64_t>{{"all_gather", 1421632}, {"reduce_scatter", 710816}});
}

TEST_CASE("without resharding each micro-batch gathers its parameters once") {
  OptionValues options = stage(3, 2);
  options["reshard"] = false;
  CHECK(sent_by_all(compiled("zero", 2, global_batch, options)).at("all_gather") == 2 * lenet_parameters * 4);
}

TEST_CASE("ranks with shards of equal sizes share a role") {
  CHECK(compiled("zero", 2, global_batch, stage(3)).roles.size() == 1);  // 44,426 elements divide by 2
  CHECK(compiled("zero", 4, global_batch, stage(3)).roles.size() == 2);  // and leave a remainder of 2 divided by 4
}

TEST_CASE("parameters are gathered ahead of their use") {
  OptionValues options = stage(3);
  options["bucket_mebibytes"] = options["first_bucket_mebibytes"] = 0.001;
  const auto gathers_before_first_op = [&](std::int64_t prefetch) {
    options["prefetch"] = prefetch;
    const program::Plan plan = compiled("zero", 2, global_batch, options);
    int count = 0;
    for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
      if (std::holds_alternative<program::Compute>(instruction.action)) break;
      ++count;
    }
    return count;
  };
  CHECK(gathers_before_first_op(0) == 1);
  CHECK(gathers_before_first_op(1) == 2);
  CHECK(gathers_before_first_op(3) == 4);
}

TEST_CASE("fsdp is zero's stage 3") {
  for (const OptionValues& options :
       {OptionValues{}, {{"prefetch", std::int64_t{3}}, {"reshard", false}, {"microbatches", std::int64_t{2}}}}) {
    OptionValues of_zero = options;
    of_zero["stage"] = std::int64_t{3};
    CHECK(printed(compiled("fsdp", 4, global_batch, options)) == printed(compiled("zero", 4, global_batch, of_zero)));
  }
}

TEST_CASE("a hybrid shards state over its data axis only") {
  OptionValues options = mesh({{"data", 2}, {"pipeline", 2}});
  const std::int64_t psi = lenet_parameters * 4;
  options["zero"] = std::int64_t{1};
  const program::Plan plan = compiled("hybrid", 4, global_batch, options);
  CHECK(of_all(plan, MemoryClass::parameters) == 2 * psi);
  CHECK(of_all(plan, MemoryClass::optimizer_state) == psi);
  CHECK(sent_by_all(plan).at("reduce_scatter") == psi);
  CHECK(sent_by_all(plan).at("all_gather") == psi);
}

TEST_CASE("hybrids of data, tensor and pipeline axes compile to valid plans under every zero stage") {
  for (const std::int64_t z : {1, 2, 3})
    for (const AxisSizes& axes : {AxisSizes{{"data", 2}, {"tensor", 2}},
                                  {{"data", 3}, {"tensor", 2}},
                                  {{"data", 2}, {"pipeline", 2}},
                                  {{"data", 3}, {"pipeline", 2}, {"tensor", 2}}})
      for (const char* schedule : {"gpipe", "1f1b", "interleaved"})
        for (const Strings& recompute : {Strings{}, Strings{"full"}}) {
          OptionValues options = mesh(axes);
          options["zero"] = z;
          const bool staged = axes.back().first == "pipeline" || axes.size() == 3;
          if (!staged && std::string(schedule) != "gpipe") continue;
          options["schedule"] = std::string(schedule);
          options["recompute"] = recompute;
          const auto& last = axes.back();
          INFO("zero " << z << " " << axes.size() << " axes, " << last.first << " " << last.second << " " << schedule);
          int ranks = 1;
          for (const auto& [axis, size] : axes) ranks *= size;
          CHECK(findings(compiled("hybrid", ranks, global_batch, options)) == "");
        }
}
