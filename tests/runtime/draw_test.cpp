#include "runtime/draw.h"

#include <cmath>

#include "base/error.h"
#include "catch.h"
#include "graph/random.h"
#include "runtime/box.h"

using namespace ddlbench;
using namespace ddlbench::runtime;
using graph::DType;
using graph::Initializer;
using graph::TensorType;

namespace {

program::StateShard shard_of(Initializer initializer, graph::Shape whole, Box box, const std::string& name) {
  program::StateShard shard;
  shard.tensor = name;
  shard.whole = {std::move(whole), graph::DType::f32};
  shard.initializer = initializer;
  shard.box = std::move(box);
  return shard;
}

std::vector<float> drawn(const program::StateShard& shard, graph::Extent held, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(held.size()));
  draw({&shard, held, {}}, seed, values.data());
  return values;
}

std::vector<float> drawn(Initializer initializer, graph::Shape whole, Box box, std::uint64_t seed = 1,
                         const std::string& name = "w") {
  const program::StateShard shard = shard_of(initializer, std::move(whole), std::move(box), name);
  return drawn(shard, {0, elements(shard.box)}, seed);
}

constexpr Initializer uniform{Initializer::Kind::uniform, -2, 3};
constexpr Initializer normal{Initializer::Kind::normal, 1, 0.5F};

}  // namespace

TEST_CASE("a shard draws the same values as that part of the whole") {
  const auto whole = drawn(uniform, {4, 3, 5}, {{0, 4}, {0, 3}, {0, 5}});
  const auto part = drawn(uniform, {4, 3, 5}, {{1, 3}, {1, 2}, {2, 5}});
  REQUIRE(part.size() == 6);
  std::size_t i = 0;
  for (std::size_t a = 1; a < 3; ++a) {
    for (std::size_t c = 2; c < 5; ++c) CHECK(part[i++] == whole[(a * 3 + 1) * 5 + c]);
  }
}

TEST_CASE("a piece of a box draws the same values as that part of the box") {
  const program::StateShard shard = shard_of(uniform, {4, 3, 5}, {{1, 4}, {0, 2}, {1, 5}}, "w");
  const auto box = drawn(shard, {0, 24}, 1);
  for (std::int64_t begin = 0; begin < 24; begin += 5) {
    const std::int64_t end = std::min<std::int64_t>(24, begin + 7);
    CHECK(drawn(shard, {begin, end}, 1) == std::vector<float>(box.begin() + begin, box.begin() + end));
  }
}

TEST_CASE("element i is drawn at counter i with the key of seed and name") {
  const auto values = drawn(uniform, {3}, {{0, 3}}, 7, "fc.weight");
  const std::uint64_t key = graph::random_key(7, graph::Purpose::initialization, "fc.weight");
  for (std::uint64_t i = 0; i < 3; ++i) {
    CHECK(values[i] == static_cast<float>(-2 + 5.0 * graph::unit_float(graph::philox(key, 0, i).v[0])));
  }
}

TEST_CASE("different seeds and names give different numbers") {
  CHECK(drawn(uniform, {8}, {{0, 8}}, 1) != drawn(uniform, {8}, {{0, 8}}, 2));
  CHECK(drawn(uniform, {8}, {{0, 8}}, 1, "a") != drawn(uniform, {8}, {{0, 8}}, 1, "b"));
}

TEST_CASE("initial values have the requested moments") {
  constexpr std::int64_t count = 20000;
  double sum = 0, squares = 0;
  for (const float v : drawn(normal, {count}, {{0, count}})) {
    REQUIRE(std::isfinite(v));
    sum += v;
    squares += (v - 1.0) * (v - 1.0);
  }
  // Standard errors: 0.5/√n = 0.0035 of the mean and 0.25·√(2/n) = 0.0025 of the variance. The bounds are four of each.
  CHECK(std::abs(sum / count - 1) < 0.014);
  CHECK(std::abs(squares / count - 0.25) < 0.01);
  for (const float v : drawn(uniform, {count}, {{0, count}})) REQUIRE((v >= -2 && v < 3));
  CHECK(drawn({Initializer::Kind::constant, 4, 0}, {2}, {{0, 2}}) == std::vector<float>{4, 4});
}

namespace {

/// {whole, step, part, count} of each run.
using Runs = std::vector<std::vector<std::int64_t>>;

Visit noted_in(Runs& runs) {
  return [&runs](const BoxRun& run) { runs.push_back({run.whole, run.step, run.part, run.count}); };
}

Runs runs_of(const TensorType& whole, const Box& box) {
  Runs runs;
  for_each_run(whole, box, noted_in(runs));
  return runs;
}

}  // namespace

TEST_CASE("runs of a box are as long as possible") {
  CHECK(runs_of({{4, 3, 5}}, {{1, 3}, {0, 3}, {0, 5}}) == Runs{{15, 1, 0, 30}});
  CHECK(runs_of({{4, 3, 5}}, {{2, 4}, {1, 3}, {0, 5}}) == Runs{{35, 1, 0, 10}, {50, 1, 10, 10}});
  CHECK(runs_of({{4, 3}}, {{1, 1}, {0, 3}}).empty());
}

TEST_CASE("with channel blocks a run covers the channels of a block with their row-major distance") {
  const Box second{{1, 2}, {0, 4}, {0, 1}, {0, 2}};
  CHECK(runs_of({{2, 4, 1, 2}, DType::f32, 4}, second) == Runs{{8, 2, 0, 4}, {9, 2, 4, 4}});
  CHECK(runs_of({{2, 4, 1, 2}, DType::f32, 2}, second) ==
        Runs{{8, 2, 0, 2}, {9, 2, 2, 2}, {12, 2, 4, 2}, {13, 2, 6, 2}});
  CHECK(runs_of({{1, 4, 1, 2}, DType::f32, 2}, {{0, 1}, {2, 4}, {0, 1}, {1, 2}}) == Runs{{5, 2, 0, 2}});
  CHECK(runs_of({{3, 4, 1, 1}, DType::f32, 4}, {{0, 3}, {0, 4}, {0, 1}, {0, 1}}) == Runs{{0, 1, 0, 12}});
  CHECK_THROWS_AS(runs_of({{2, 4, 1, 2}, DType::f32, 4}, {{0, 2}, {0, 2}, {0, 1}, {0, 2}}), ddlbench::ContractError);
  Runs some;
  for_each_run({{2, 4, 1, 2}, DType::f32, 4}, second, graph::Extent{3, 6}, noted_in(some));
  CHECK(some == Runs{{14, 2, 0, 1}, {9, 2, 1, 2}});
}

TEST_CASE("a filter with its channels last has the same initial values as in row-major order") {
  program::StateShard shard = shard_of(normal, {3, 5, 2, 2}, {{0, 3}, {0, 5}, {0, 2}, {0, 2}}, "w");
  const auto rows = drawn(shard, {0, 60}, 3);
  shard.whole.channel_block = 5;
  const auto last = drawn(shard, {0, 60}, 3);
  CHECK(last != rows);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t c = 0; c < 5; ++c)
      for (std::size_t place = 0; place < 4; ++place)
        CHECK(last[(k * 4 + place) * 5 + c] == rows[(k * 5 + c) * 4 + place]);
  const auto middle = drawn(shard, {7, 31}, 3);
  CHECK(middle == std::vector<float>(last.begin() + 7, last.begin() + 31));
}

TEST_CASE("boxes overlap if they share an element") {
  CHECK(overlap({{0, 2}, {0, 2}}, {{1, 3}, {1, 3}}));
  CHECK_FALSE(overlap({{0, 2}, {0, 2}}, {{2, 4}, {0, 2}}));
  CHECK_FALSE(overlap({{1, 1}}, {{0, 4}}));
  CHECK(inside({{0, 2}}, {2}));
  CHECK_FALSE(inside({{0, 3}}, {2}));
  CHECK_FALSE(inside({{0, 2}}, {2, 1}));
}

TEST_CASE("a master has the same initial values as its parameter") {
  program::StateShard master = shard_of(normal, {7}, {{0, 7}}, "w.master");
  const auto own = drawn(master, {0, 7}, 3);
  master.drawn_as = "w";
  CHECK(drawn(master, {0, 7}, 3) == drawn(normal, {7}, {{0, 7}}, 3, "w"));
  CHECK(drawn(master, {0, 7}, 3) != own);
}
