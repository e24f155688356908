#include "graph/random.h"

#include "catch.h"

using namespace ddlbench::graph;

namespace {

void check(Philox got, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  CHECK(got.v[0] == a);
  CHECK(got.v[1] == b);
  CHECK(got.v[2] == c);
  CHECK(got.v[3] == d);
}

}  // namespace

TEST_CASE("philox4x32-10 matches the known answers of Random123") {
  check(philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  check(philox(~0ull, ~0ull, ~0ull), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  check(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88), 0xd16cfe09, 0x94fdcceb, 0x5001e420,
        0x24126ea1);
}

TEST_CASE("keys depend on seed, purpose and name") {
  const auto key = random_key(1, Purpose::initialization, "fc1.weight");
  CHECK(key == random_key(1, Purpose::initialization, "fc1.weight"));
  CHECK(key != random_key(2, Purpose::initialization, "fc1.weight"));
  CHECK(key != random_key(1, Purpose::shuffle, "fc1.weight"));
  CHECK(key != random_key(1, Purpose::initialization, "fc2.weight"));
}
