#include "bench/slurm/study.h"

#include <fmt/core.h>

#include "base/error.h"
#include "catch.h"
#include "failure.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

Case numbered(int number, const std::string& name, int ranks, const std::string& rest = "") {
  Case which;
  which.id = fmt::format("{:03}-{}-r{}{}", number, name, ranks, rest);
  which.strategy.label = name;
  which.ranks = ranks;
  return which;
}

std::vector<std::string> filters_of(const std::vector<StudyJob>& jobs) {
  std::vector<std::string> filters;
  for (const StudyJob& job : jobs) filters.push_back(job.filter);
  return filters;
}

StudyRequest with(Layout layout) {
  StudyRequest request;
  request.layout = layout;
  return request;
}

}  // namespace

TEST_CASE("there is one job for each number of ranks, in ascending order") {
  const std::vector<Case> cases{numbered(1, "single", 1), numbered(2, "ddp", 16, "-b64"), numbered(3, "ddp", 2),
                                numbered(4, "tensor", 2)};
  const std::vector<StudyJob> jobs = jobs_of({}, cases, cases, {});
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].name == "ranks-1");
  CHECK(jobs[1].case_ids == std::vector<std::string>{"003-ddp-r2", "004-tensor-r2"});
  CHECK(filters_of(jobs) == std::vector<std::string>{"-r1(-|$)", "-r2(-|$)", "-r16(-|$)"});
  CHECK(jobs[2].allocation == Allocation{1, 1, 16, 0});
}

TEST_CASE("all tasks of an array have the largest allocation") {
  const std::vector<Case> cases{numbered(1, "ddp", 1), numbered(2, "ddp", 4)};
  const std::vector<StudyJob> jobs = jobs_of({}, cases, cases, with(Layout::array));
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].allocation == Allocation{1, 1, 4, 0});
}

TEST_CASE("a job has what its most demanding variant needs") {
  Experiment experiment;
  experiment.variants.resize(3);
  experiment.variants[0].devices.transport = "threads";
  experiment.variants[1].devices.transport = experiment.variants[2].devices.transport = "mpi";
  experiment.variants[2].devices.threads_per_rank = 8;
  const auto of_variant = [](Case which, int variant) {
    which.variant = variant;
    return which;
  };
  std::vector<Case> cases{of_variant(numbered(1, "ddp", 2), 0), of_variant(numbered(2, "ddp", 2), 1),
                          of_variant(numbered(3, "ddp", 4), 1), of_variant(numbered(4, "ddp", 2), 2)};
  const auto allocations = [&](Layout layout) {
    std::vector<Allocation> all;
    for (const StudyJob& job : jobs_of(experiment, cases, cases, with(layout))) all.push_back(job.allocation);
    return all;
  };
  CHECK(allocations(Layout::jobs) == std::vector<Allocation>{{1, 2, 8, 0}, {1, 4, 1, 0}});
  CHECK(allocations(Layout::array) == std::vector<Allocation>{{1, 4, 4, 0}, {1, 4, 4, 0}});
  CHECK(allocations(Layout::allocation) == std::vector<Allocation>{{1, 4, 4, 0}});
  cases[3].unsupported = "no";
  CHECK(allocations(Layout::jobs)[0] == Allocation{1, 2, 1, 0});
}

TEST_CASE("one allocation runs all cases, or names those of a filter") {
  const std::vector<Case> cases{numbered(1, "ddp", 1), numbered(2, "ddp", 4)};
  const std::vector<StudyJob> jobs = jobs_of({}, cases, cases, with(Layout::allocation));
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].filter.empty());
  CHECK(jobs[0].ranks == std::vector<int>{1, 4});
  CHECK(jobs_of({}, cases, {cases[1]}, with(Layout::allocation))[0].filter == "^(002-ddp-r4)$");
}

TEST_CASE("where a name looks like a number of ranks, or some cases are left out, a filter names its cases") {
  const std::vector<Case> cases{numbered(1, "net-r2", 1), numbered(2, "ddp", 2), numbered(3, "tensor", 2)};
  CHECK(filters_of(jobs_of({}, cases, cases, {})) ==
        std::vector<std::string>{"-r1(-|$)", "^(002-ddp-r2|003-tensor-r2)$"});
  CHECK(filters_of(jobs_of({}, cases, {cases[2]}, {})) == std::vector<std::string>{"^(003-tensor-r2)$"});
}

TEST_CASE("a filter that would be too long is an error with the remedy") {
  std::vector<Case> all, chosen;
  for (int i = 1; i <= 200; ++i) all.push_back(numbered(i, "ddp", 2));
  chosen.assign(all.begin(), all.end() - 1);
  test::check_says(test::failure_of<InputError>([&] { jobs_of({}, all, chosen, {}); }),
                   "the 199 cases on 2 ranks cannot be selected by a regular expression of at most 1000 characters");
}

TEST_CASE("ranks on which no case can run get no job") {
  std::vector<Case> cases{numbered(1, "ddp", 1), numbered(2, "gpipe", 64)};
  cases[1].unsupported = "4 layers";
  CHECK(jobs_of({}, cases, cases, {}).size() == 1);
  cases[0].unsupported = "no";
  test::check_says(test::failure_of<InputError>([&] { jobs_of({}, cases, cases, {}); }), "no case can run");
}
