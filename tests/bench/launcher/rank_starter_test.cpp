#include "bench/launcher/rank_starter.h"

#include "base/error.h"
#include "catch.h"
#include "comm/gloo/gloo.h"

using namespace ddlbench::bench;

TEST_CASE("ranks without a launcher are started by ddlbench itself, with their threads") {
  if (!ddlbench::comm::gloo::available()) {
    CHECK_THROWS_AS(through_rank_starter(4, 3, "/opt/ddlbench"), ddlbench::InputError);
    return;
  }
  const LaunchCommand command = through_rank_starter(4, 3, "/opt/ddlbench");
  CHECK(command.program == "/opt/ddlbench");
  CHECK(command.arguments == std::vector<std::string>{"start-ranks", "4"});
  CHECK(command.environment.at("OMP_NUM_THREADS") == "3");
}
