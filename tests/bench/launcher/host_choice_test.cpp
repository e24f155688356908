#include "bench/launcher/host_choice.h"

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("a node on which two cases lost ranks is avoided") {
  HostChoice hosts({{"n0", 2}, {"n1", 2}, {"n2.cluster", 4}});
  CHECK(hosts.remaining().empty());
  CHECK(hosts.note_loss("n1").empty());
  CHECK(hosts.note_loss("n2").empty());
  CHECK(hosts.remaining().empty());
  CHECK(hosts.note_loss("n1") == "this is the second loss on n1, which further cases avoid");
  REQUIRE(hosts.remaining().size() == 2);
  CHECK(hosts.remaining()[0].name == "n0");
  CHECK(hosts.remaining()[1].slots == 4);
  CHECK(hosts.why_too_few(6).empty());
  CHECK(hosts.why_too_few(7) ==
        "7 ranks were not started: after losses on other nodes n0, n2.cluster with 6 tasks in all remain");
  CHECK(hosts.note_loss("n1.cluster").empty());  // of a case that had started before
}

TEST_CASE("the last node is not avoided, and unknown ones do not count") {
  HostChoice hosts({{"n0", 1}, {"n1", 1}});
  for (int i = 0; i < 3; ++i) CHECK(hosts.note_loss("elsewhere").empty());
  for (int i = 0; i < 3; ++i) hosts.note_loss("n1");
  for (int i = 0; i < 3; ++i) CHECK(hosts.note_loss("n0").empty());
  REQUIRE(hosts.remaining().size() == 1);
  CHECK(hosts.remaining()[0].name == "n0");
  HostChoice unknown({});
  for (int i = 0; i < 3; ++i) CHECK(unknown.note_loss("n0").empty());
  CHECK(unknown.why_too_few(100).empty());
}
