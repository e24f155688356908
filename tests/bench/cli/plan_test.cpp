#include <map>
#include <regex>
#include <string>
#include <vector>

#include "bench/records/cache_file.h"
#include "bench/records/file.h"
#include "catch.h"
#include "command.h"
#include "contains.h"
#include "environment_variable.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;

namespace {

/// Returns the predicted step of the only case, in seconds.
double predicted_step(const std::string& out) {
  const std::string table = out.substr(out.find("predicted, "));
  std::smatch found;
  REQUIRE(std::regex_search(table, found, std::regex(R"(([\d.]+) (us|ms|s) )")));
  const std::map<std::string, double> seconds{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  return std::stod(found[1]) * seconds.at(found[2]);
}

}  // namespace

TEST_CASE("plan predicts ranks on hosts of their own, over the links that are set") {
  const auto plan = [](const std::string& throttle) {
    return command({"plan", "--one-rank-per-host", "--config", mlp, "--filter", "ddp-r8", "--set", "/devices/ranks=8",
                    "--set", "/devices/throttle=" + throttle});
  };
  const Result near = plan(R"({"latency_seconds": 1e-5, "bytes_per_second": 1e10})");
  const Result far = plan(R"({"latency_seconds": 1e-3, "bytes_per_second": 1e10})");
  CHECK(near.code == 0);
  CHECK(!contains(near.out, "oversubscribed"));
  CHECK(predicted_step(far.out) >= 14 * 1e-3);  // the rounds of a ring of 8 ranks
  CHECK(predicted_step(far.out) > predicted_step(near.out));
  const Result without = command({"plan", "--one-rank-per-host", "--config", mlp, "--filter", "ddp-r2"});
  CHECK(without.code == 2);
  CHECK(contains(without.err, "ddp-r2-b64 has no link between hosts: set devices/throttle"));
}

TEST_CASE("plan shows work, traffic and memory, and the program on request") {
  const Result result = command({"plan", "--config", mlp, "--filter", "ddp-r2", "--set", "/workload/global_batch=64"});
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(contains(result.out, "MFLOP/step"));
  CHECK(contains(result.out, "003-ddp-r2"));
  CHECK(contains(result.out, "data=2"));
  const Result shown =
      command({"plan", "--show-program", "--config", mlp, "--filter", "ddp-r2", "--set", "/workload/global_batch=64"});
  CHECK(shown.code == 0);
  CHECK(contains(shown.out, "== 003-ddp-r2: ddp"));
  CHECK(shown.out.size() > result.out.size());
}

TEST_CASE("plan predicts and ranks cases, unless only static figures are requested") {
  const std::vector<std::string> words{
      "plan", "--config", mlp, "--filter", "ddp-r2", "--set", "/workload/global_batch=64"};
  const Result ranked = command(words);
  INFO(ranked.err);
  CHECK(contains(ranked.out, "predicted, global batch 64"));
  CHECK(contains(ranked.out, "Predicted"));
  std::vector<std::string> with_static = words;
  with_static.push_back("--static");
  CHECK(!contains(command(with_static).out, "redicted"));
  std::vector<std::string> drawn = words;
  drawn.push_back("--timeline");
  const Result timeline = command(drawn);
  CHECK(contains(timeline.out, "\nrank 0 "));
  CHECK(contains(timeline.out, "\nrank 1 "));
}

TEST_CASE("plan shows the minimum step time under a roofline") {
  const auto planned = [](const std::string& roof) {
    return command({"plan", "--static", "--config", mlp, "--filter", "001-single-r1", "--roofline", roof});
  };
  const Result result = planned("989e12,4.8e12");
  INFO(result.out << result.err);
  CHECK(result.code == 0);
  CHECK(contains(result.out, "linear_backward_weight"));
  CHECK(contains(result.out, "Minimum times at 989 TFLOP/s and 4800 GB/s"));
  for (const std::string wrong : {"989e12", "989e12,0", "989e12,-1", "1,2,3", "fast,1"}) {
    INFO(wrong);
    CHECK(planned(wrong).code == 2);
  }
}

TEST_CASE("a profile is printed, stored, and used by plan") {
  const ddlbench::test::TemporaryFolder folder;
  const ddlbench::test::EnvironmentVariable cache("XDG_CACHE_HOME", folder.path());
  const std::vector<std::string> chosen{"--config", mlp,
                                        "--filter", "ddp-r2",
                                        "--set",    "/workload/global_batch=64",
                                        "--set",    "/devices/collectives=ring"};
  std::vector<std::string> words{"profile"};
  words.insert(words.end(), chosen.begin(), chosen.end());
  const Result result = command(words);
  words.front() = "plan";
  words.push_back("--show-program");
  const Result planned = command(words);
  const bool kept = std::filesystem::exists(folder / "ddlbench");
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(contains(result.out, "GFLOP/s  linear|"));
  CHECK(contains(result.out, "GB/s  all_reduce|sum|ring|f32|"));
  CHECK(contains(result.err, folder.path()));
  CHECK(kept);
  CHECK(contains(planned.out, "Predicted"));
}

TEST_CASE("plan draws an SVG of a single case") {
  const ddlbench::test::TemporaryFolder folder;
  const std::string file = folder / "step.svg";
  const Result result = command({"plan", "--config", mlp, "--filter", "001-single-r1", "--svg", file});
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(read_file(file).starts_with("<svg "));
  const Result many = command({"plan", "--config", mlp, "--svg", file});
  CHECK(many.code == exit_code::usage);
  CHECK(contains(many.err, "choose one with --filter"));
}
