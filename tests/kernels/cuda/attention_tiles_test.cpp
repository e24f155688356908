#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "../harness.h"
#include "catch.h"
#include "graph/ops/attention.h"
#include "kernels/cuda/attention_shapes.h"

using namespace ddlbench;
using namespace ddlbench::kernels::cuda;
using kernels::AttentionSizes;

namespace {

/// Runs the threads of a block one after the other.
struct HostBlock {
  template <class T>
  struct Each {
    std::vector<T> all = std::vector<T>(attention_threads);
    T& operator[](int thread) { return all[static_cast<std::size_t>(thread)]; }
  };
  template <class Body>
  void run(const Body& body) {
    for (int thread = 0; thread < attention_threads; ++thread) body(thread);
  }
};

/// Returns memory full of NaN, so that a read before a write is detected.
template <class Shared>
std::unique_ptr<Shared> make_shared_memory() {
  auto shared = std::make_unique<Shared>();
  auto* numbers = reinterpret_cast<float*>(shared.get());
  std::fill(numbers, numbers + sizeof(Shared) / sizeof(float), std::numeric_limits<float>::quiet_NaN());
  return shared;
}

template <class Body>
void for_each_tile(const AttentionSizes& z, int tile, const Body& body) {
  for (std::int64_t b = 0; b < z.batch; ++b)
    for (std::int64_t h = 0; h < z.heads; ++h)
      for (std::int64_t i = 0; i < (z.positions + tile - 1) / tile; ++i) body(b, h, i);
}

float scale_of(const AttentionSizes& z) {
  return 1.0f / std::sqrt(static_cast<float>(z.head_size));
}

/// Returns the tolerance for f32 sums of `terms` products of numbers of up to 2.
double tolerance(const AttentionSizes& z) {
  const double terms = static_cast<double>(z.positions + z.head_size);
  return 8 * std::numeric_limits<float>::epsilon() * (std::sqrt(terms) + 1) * 5;
}

template <int Tile, int Depth>
void compare_with_reference(const AttentionSizes& z) {
  CAPTURE(Tile, Depth, z.batch, z.positions, z.heads, z.head_size);
  const auto oracle = test::device("reference");
  const auto qkv = test::random_tensor({z.batch, z.positions, z.qkv_row()}, "qkv", -2, 2);
  const auto dy = test::random_tensor({z.batch, z.positions, z.y_row()}, "dy");
  const auto forward = test::run(*oracle, {std::make_shared<graph::Attention>(z.head_size), {qkv}, {}});
  const auto backward = test::run(
      *oracle, {std::make_shared<graph::AttentionBackward>(z.head_size), {dy, qkv, forward[0], forward[1]}, {}});
  HostBlock block;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto y = forward[0], logsumexp = forward[1], dqkv = backward[0];
  y.values.assign(y.values.size(), nan);
  logsumexp.values.assign(logsumexp.values.size(), nan);
  dqkv.values.assign(dqkv.values.size(), nan);
  const auto shared = make_shared_memory<AttentionForwardShared<Tile, Depth>>();
  for_each_tile(z, Tile, [&](auto b, auto h, auto tile) {
    attention_forward(block, *shared, z, scale_of(z), b, h, tile, qkv.values.data(), y.values.data(),
                      logsumexp.values.data());
  });
  CHECK(test::largest_error(y, forward[0], 1) <= tolerance(z));
  CHECK(test::largest_error(logsumexp, forward[1], 1) <= tolerance(z));

  auto means = logsumexp.values;
  const AttentionGradient a{dy.values.data(),         qkv.values.data(),  forward[0].values.data(),
                            forward[1].values.data(), dqkv.values.data(), means.data()};
  for (std::size_t i = 0; i < means.size(); ++i) attention_mean(z, a, static_cast<std::int64_t>(i));
  using Backward = AttentionBackward<Tile, Depth>;
  const auto both = make_shared_memory<AttentionBackwardShared<Tile, Depth>>();
  for_each_tile(z, Tile, [&](auto b, auto h, auto tile) {
    Backward::keys_and_values(block, *both, z, scale_of(z), b, h, tile, a);
    Backward::queries(block, *both, z, scale_of(z), b, h, tile, a);
  });
  CHECK(test::largest_error(dqkv, backward[0], 1) <= tolerance(z));
}

}  // namespace

TEST_CASE("tiled attention equals the reference") {
  compare_with_reference<64, 64>({1, 1, 1, 1});
  compare_with_reference<64, 64>({2, 7, 3, 4});
  compare_with_reference<64, 64>({1, 64, 2, 16});
  compare_with_reference<64, 64>({1, 65, 1, 64});
  compare_with_reference<64, 64>({1, 130, 2, 33});
  compare_with_reference<32, 64>({1, 33, 2, 64});
  compare_with_reference<32, 64>({2, 70, 1, 5});
  compare_with_reference<32, 128>({1, 33, 2, 65});
  compare_with_reference<32, 128>({2, 70, 1, 128});
  compare_with_reference<16, 128>({1, 17, 2, 65});
  compare_with_reference<16, 128>({2, 40, 1, 128});
  compare_with_reference<32, 256>({1, 66, 1, 129});
  compare_with_reference<32, 256>({1, 32, 1, 256});
  compare_with_reference<16, 256>({1, 50, 1, 129});
  compare_with_reference<16, 256>({2, 16, 1, 256});
}

TEST_CASE("tiled attention propagates NaN") {
  const AttentionSizes z{1, 3, 1, 2};
  std::vector<float> qkv(static_cast<std::size_t>(z.positions * z.qkv_row()), 0.5f), y(6, 0.0f), logsumexp(3, 0.0f);
  qkv[static_cast<std::size_t>(2 * z.qkv_row())] = std::numeric_limits<float>::quiet_NaN();  // the last query
  HostBlock block;
  const auto shared = make_shared_memory<AttentionForwardShared<64, 64>>();
  attention_forward(block, *shared, z, scale_of(z), 0, 0, 0, qkv.data(), y.data(), logsumexp.data());
  CHECK_FALSE(std::isnan(logsumexp[1]));
  CHECK(std::isnan(logsumexp[2]));
  CHECK(std::isnan(y[4]));
}

TEST_CASE("attention takes the largest tiles that fit in the shared memory of a block") {
  using enum AttentionPass;
  constexpr std::size_t kib = 1024;
  constexpr std::size_t sm75 = 64 * kib, sm80 = 163 * kib, sm86 = 99 * kib, sm90 = 227 * kib;  // sm89, sm120 as sm86
  const auto tile_of = [](AttentionPass pass, std::int64_t head_size, std::size_t shared_bytes) {
    int tile = 0;
    const bool fits = with_shape(pass, head_size, shared_bytes, [&](auto shape) {
      CHECK(shape.Depth >= head_size);
      CHECK(shape.bytes(pass) <= shared_bytes);
      tile = shape.Tile;
    });
    CHECK(fits == (tile != 0));
    CHECK(fits == (least_shared_bytes(pass, head_size) <= shared_bytes && head_size <= largest_head_size));
    return tile;
  };
  struct Tiles {
    std::size_t shared_bytes;
    int of_64, of_128, of_256;
  };
  const auto check = [&](AttentionPass pass, const std::vector<Tiles>& expected) {
    for (const auto& [shared_bytes, of_64, of_128, of_256] : expected) {
      CAPTURE(shared_bytes);
      for (const int head_size : {1, 64}) CHECK(tile_of(pass, head_size, shared_bytes) == of_64);
      for (const int head_size : {65, 128}) CHECK(tile_of(pass, head_size, shared_bytes) == of_128);
      for (const int head_size : {129, 256}) CHECK(tile_of(pass, head_size, shared_bytes) == of_256);
    }
  };
  check(forward, {{sm75, 64, 32, 16}, {sm86, 64, 32, 32}, {sm80, 64, 32, 32}, {sm90, 64, 32, 32}});
  check(backward, {{sm75, 32, 16, 0}, {sm86, 32, 32, 16}, {sm80, 64, 32, 32}, {sm90, 64, 32, 32}});
  CHECK(tile_of(forward, 257, sm90) == 0);
}
