#include <functional>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "program/mesh.h"

using namespace ddlbench;
using namespace ddlbench::program;

namespace {

constexpr auto keep = CoordinateRule::Kind::keep;
constexpr auto offset = CoordinateRule::Kind::offset;
constexpr auto fixed = CoordinateRule::Kind::fixed;
constexpr auto mirrored = CoordinateRule::Kind::mirrored;

}  // namespace

TEST_CASE("the last axis of a mesh varies fastest") {
  const Mesh mesh({{"pipeline", 2}, {"data", 3}}, 4);
  REQUIRE(mesh.size() == 6);
  REQUIRE(mesh.to_string() == "pipeline=2 data=3");
  REQUIRE(Mesh().to_string() == "1");
  REQUIRE(Mesh().size() == 1);
  REQUIRE(mesh.coordinates_of(4) == Coordinates{0, 0});
  REQUIRE(mesh.coordinates_of(8) == Coordinates{1, 1});
  for (int rank = 4; rank < 10; ++rank) REQUIRE(mesh.rank_at(mesh.coordinates_of(rank)) == rank);
  REQUIRE(mesh.contains(9));
  REQUIRE_FALSE(mesh.contains(10));
  REQUIRE_FALSE(mesh.contains(3));
  REQUIRE(mesh.size_of("data") == 3);
  REQUIRE(mesh.size_of("tensor") == 1);
  REQUIRE(mesh.find("data") == 1);
  REQUIRE_FALSE(mesh.find("tensor"));
}

TEST_CASE("the error for an invalid mesh contains all its numbers") {
  REQUIRE(test::failure_of<InputError>([] {
            require_ranks(Mesh({{"data", 2}, {"pipeline", 3}}), 4);
          }) == "mesh data=2 x pipeline=3 has 6 ranks, but the case has 4");
  REQUIRE_NOTHROW(require_ranks(Mesh({{"data", 2}, {"pipeline", 3}}), 6));
  REQUIRE(test::failure_of<InputError>([] {
            Mesh({{"data", 2}, {"tensor", 0}});
          }) == "mesh data=2 x tensor=0: axis 'tensor' has size 0, but every axis needs at least 1");
  REQUIRE(test::failure_of<InputError>([] {
            Mesh({{"data", 2}, {"data", 3}});
          }) == "mesh data=2 x data=3: axis 'data' is named twice");
  REQUIRE(test::failure_of<InputError>([] {
            Mesh({{"data", 1 << 20}, {"tensor", 1 << 20}});
          }) == "mesh data=1048576 x tensor=1048576 has more than 2147483647 ranks");
  REQUIRE(test::failure_of<ContractError>([] {
            Mesh({{"data", 2}}).rank_at({2});
          }) == "coordinate data=2 lies outside mesh data=2");
  REQUIRE_THROWS_AS(Mesh({{"data", 2}}).coordinates_of(2), ContractError);
}

TEST_CASE("a peer follows from the own coordinates") {
  const std::vector<Mesh> meshes{Mesh({{"pipeline", 4}, {"data", 2}})};
  const auto peer = [&](CoordinateRule pipeline, int rank) {
    return resolve({0, {pipeline, {keep, 0}}}, meshes, 0, rank);
  };
  REQUIRE(peer({offset, 1}, 3) == 5);
  REQUIRE(peer({offset, -1}, 3) == 1);
  REQUIRE(peer({fixed, 3}, 1) == 7);
  REQUIRE(peer({mirrored, 0}, 1) == 7);
  REQUIRE(test::failure_of<ContractError>([&] {
            peer({offset, 1}, 7);
          }) == "coordinate pipeline=4 lies outside mesh pipeline=4 data=2");
  REQUIRE_THROWS_AS(resolve({0, {{keep, 0}}}, meshes, 0, 1), ContractError);
  REQUIRE_THROWS_AS(resolve({3, {{keep, 0}}}, meshes, 0, 1), ContractError);
}

TEST_CASE("a peer in a mesh with other axes has fixed coordinates") {
  const std::vector<Mesh> meshes{Mesh({{"data", 3}}, 0), Mesh({{"tensor", 2}}, 3)};
  REQUIRE(resolve({1, {{fixed, 1}}}, meshes, 0, 2) == 4);
  REQUIRE_THROWS_AS(resolve({1, {{keep, 0}}}, meshes, 0, 1), ContractError);
}

TEST_CASE("a group differs only in its axes, and is ordered by rank") {
  const std::vector<Mesh> meshes{Mesh({{"pipeline", 3}, {"data", 2}, {"tensor", 2}})};
  REQUIRE(members({0, {"data"}, {}}, meshes, 5) == std::vector<int>{5, 7});
  REQUIRE(members({0, {"tensor", "data"}, {}}, meshes, 5) == std::vector<int>{4, 5, 6, 7});
  REQUIRE(members({0, {"pipeline"}, {{2, 0}}}, meshes, 1) == std::vector<int>{1, 9});
  REQUIRE(members({0, {"pipeline"}, {{2, 0}}}, meshes, 5) == std::vector<int>{1, 9});
  REQUIRE(members({0, {}, {}}, meshes, 5) == std::vector<int>{5});
  REQUIRE(member_count({0, {"tensor", "pipeline"}, {{}, {0, 2}}}, meshes) == 4);
  REQUIRE_THROWS_AS(members({0, {"expert"}, {}}, meshes, 0), ContractError);
  REQUIRE_THROWS_AS(members({0, {"data"}, {{2}}}, meshes, 0), ContractError);
  REQUIRE_THROWS_AS(members({0, {"data"}, {{0, 0}}}, meshes, 0), ContractError);
  REQUIRE_THROWS_AS(members({0, {"data"}, {}}, meshes, 12), ContractError);
}
