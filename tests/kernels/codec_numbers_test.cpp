#include <bit>
#include <cmath>
#include <cstring>

#include "catch.h"
#include "codec_cases.h"
#include "graph/random.h"
#include "own/on_every_device.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

template <class T>
T word_at(const HostTensor& payload, std::size_t offset) {
  T word;
  std::memcpy(&word, payload.bytes().data() + offset, sizeof word);
  return word;
}

/// A codec's results, and what they should be.
struct Numbers {
  Choice choice;
  std::vector<float> v, sent, left;
};

HostTensor vector_of(const std::vector<float>& values) {
  return {{{static_cast<std::int64_t>(values.size())}}, values};
}

void check(kernels::Device& device, const Numbers& numbers) {
  const graph::Codec codec = graph::make_codec(numbers.choice);
  CAPTURE(codec.text());
  const HostTensor v = vector_of(numbers.v), residual = test::zeros(v.type);
  const auto made = test::encode(device, codec, v, &residual);
  CHECK(test::decode(device, codec, made[0], v.type.shape[0]).values == numbers.sent);
  CHECK(made[1].values == numbers.left);
}

graph::Scalars scalars_of(std::uint64_t seed, std::int64_t step, std::int64_t rank) {
  graph::Scalars scalars;
  scalars.seed = seed;
  scalars.step = step;
  scalars.rank = rank;
  return scalars;
}

}  // namespace

TEST_CASE("codecs send the numbers that their papers say") {
  test::on_every_device([](kernels::Device& device) {
    check(device, {{"one_bit", {}}, {1, -2, 3, -4, 2}, {2, -3, 2, -3, 2}, {-1, 1, 1, -1, 0}});
    check(device, {{"one_bit", {}}, {-2, -4}, {-3, -3}, {1, -1}});
    check(device, {{"one_bit", {}}, {0, 1}, {0.5, 0.5}, {-0.5, 0.5}});
    check(device, {{"ternary", {}}, {4, -4, 0, 4}, {4, -4, 0, 4}, {0, 0, 0, 0}});
    check(device, {{"qsgd", {}}, {-7}, {-7}, {0}});
    check(device, {{"qsgd", {{"bits", std::int64_t{8}}}}, {0, 254, 0}, {0, 254, 0}, {0, 0, 0}});
    check(device, {{"two_bit", {}}, {0.5, 0.25, -0.5, -2, 0}, {0.5, 0, -0.5, -0.5, 0}, {0, 0.25, 0, -1.5, 0}});
    check(device, {{"two_bit", {{"threshold", 2.0}}}, {3, -1}, {2, 0}, {1, -1}});
    check(device, {{"top_k", {{"density", 0.4}}}, {1, -3, 3, -3, 2}, {0, -3, 3, 0, 0}, {1, 0, 0, -3, 2}});
    check(device, {{"top_k", {}}, {0, 0}, {0, 0}, {0, 0}});
    check(device,
          {{"sparse_binary", {{"density", 0.4}}}, {1, -3, 3, -4, 2}, {0, -3.5, 0, -3.5, 0}, {1, 0.5, 3, -0.5, 2}});
    check(device, {{"sparse_binary", {{"density", 0.4}}}, {1, 3, -2, -1, 3}, {0, 3, 0, 0, 3}, {1, 0, -2, -1, 0}});
    check(device, {{"sparse_binary", {}}, {1, -1, 1}, {1, 0, 0}, {0, -1, 1}});
  });
}

TEST_CASE("the words of a payload are where its layout says") {
  test::on_every_device([](kernels::Device& device) {
    const HostTensor g = vector_of({1, -2, 3, -4, 2, -3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -3, 1});
    const HostTensor one_bit = test::encode(device, graph::make_codec({"one_bit", {}}), g)[0];
    CHECK(word_at<std::uint32_t>(one_bit, 0) == 1);  // elements 0, +, and 16, −
    CHECK(word_at<std::uint32_t>(one_bit, 4) == 2);  // elements 1, −, and 17, +
    CHECK(word_at<std::uint32_t>(one_bit, 8) == 1);
    CHECK(word_at<float>(one_bit, 64) == -3);
    CHECK(word_at<float>(one_bit, 68) == 17.0F / 14);
    const HostTensor two_bit = test::encode(device, graph::make_codec({"two_bit", {}}), g)[0];
    CHECK(word_at<std::uint32_t>(two_bit, 0) == (1U | 3U << 2));
    CHECK(word_at<std::uint32_t>(two_bit, 4) == (3U | 1U << 2));
    const HostTensor top_k = test::encode(device, graph::make_codec({"top_k", {{"density", 0.1}}}), g)[0];
    CHECK(word_at<std::uint32_t>(top_k, 0) == 2);
    CHECK(word_at<std::uint32_t>(top_k, 4) == 3);
    CHECK(word_at<float>(top_k, 8) == 3);
    CHECK(word_at<float>(top_k, 12) == -4);
    const HostTensor sparse = test::encode(device, graph::make_codec({"sparse_binary", {{"density", 0.1}}}), g)[0];
    CHECK(word_at<std::uint32_t>(sparse, 0) == 1 + 2);  // −4 and the first −3
    CHECK(word_at<std::uint32_t>(sparse, 4) == 5);
    CHECK(word_at<float>(sparse, 8) == -3.5F);
  });
}

TEST_CASE("the unit of qsgd is the norm by the levels, rounded up to 16 bits") {
  test::on_every_device([](kernels::Device& device) {
    const HostTensor g = vector_of({3, -4});
    const HostTensor payload = test::encode(device, graph::make_codec({"qsgd", {}}), g)[0];
    const auto unit = word_at<float>(payload, 64);
    CHECK(unit >= 5.0 / 7);
    CHECK(unit <= 5.0 / 7 * (1 + 0x1p-15));
    CHECK((std::bit_cast<std::uint32_t>(unit) & 0xFF) == 0);
    const HostTensor sent = test::decode(device, graph::make_codec({"qsgd", {}}), payload, 2);
    CHECK((sent.values[0] == 4 * unit || sent.values[0] == 5 * unit));    // 4.2 units
    CHECK((sent.values[1] == -5 * unit || sent.values[1] == -6 * unit));  // 5.6 units
  });
}

TEST_CASE("an element's random number depends on seed, stream, step, rank and its position") {
  constexpr std::int64_t size = 700;
  constexpr std::uint64_t stream = 11;
  HostTensor g = test::zeros({{size}});
  for (float& value : g.values) value = 0.5F;
  g.values[0] = g.values[600] = 1;  // the scales of both groups
  const graph::Codec codec = graph::make_codec({"ternary", {{"group", std::int64_t{512}}}});
  const graph::Scalars scalars = scalars_of(5, 7, 3);
  const std::uint64_t key = graph::random_key(5, graph::Purpose::codec, stream);
  std::vector<float> expected = g.values;
  for (std::uint64_t e = 0; e < size; ++e) {
    if (e == 0 || e == 600) continue;
    const graph::Philox words = graph::philox(key, 7, (std::uint64_t{3} << 45) + e / 64 * 16 + e % 16);
    expected[e] = ((words.v[e / 16 % 4] >> 8) + 1) * 0x1p-24 <= 0.5 ? 1 : 0;
  }
  test::on_every_device([&](kernels::Device& device) {
    test::Run run{std::make_shared<graph::Encode>(codec, false, stream), {g}, {}};
    run.scalars = scalars;
    CHECK(test::decode(device, codec, test::run(device, run)[0], size).values == expected);
  });
}

TEST_CASE("stochastic codecs have the right expectation, and draw anew in each step and on each rank") {
  constexpr int draws = 4000;
  const auto device = test::device(test::other_kinds().front());
  HostTensor g = vector_of({0.75F, -0.01F, 0.3F, 0, -1, 0.999F, -0.5F, 1e-4F});
  double norm = 0;
  for (const float v : g.values) norm += double{v} * v;
  norm = std::sqrt(norm);
  for (const auto& [choice, step_size] :
       {std::pair{Choice{"ternary", {}}, 1.0}, std::pair{Choice{"qsgd", {{"bits", std::int64_t{2}}}}, norm},
        std::pair{Choice{"qsgd", {}}, norm / 7}, std::pair{Choice{"qsgd", {{"bits", std::int64_t{8}}}}, norm / 127}}) {
    const graph::Codec codec = graph::make_codec(choice);
    CAPTURE(codec.text());
    std::vector<double> sums(g.values.size());
    for (int draw = 0; draw < draws; ++draw) {
      const HostTensor payload = test::encode(*device, codec, g, nullptr, scalars_of(1, draw / 2, draw % 2))[0];
      const HostTensor sent = test::decode(*device, codec, payload, g.type.shape[0]);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += sent.values[i];
    }
    // The deviation of one draw is at most half a step, that of the mean √draws times smaller.
    for (std::size_t i = 0; i < sums.size(); ++i)
      CHECK(std::abs(sums[i] / draws - g.values[i]) <= 5 * step_size / 2 / std::sqrt(draws));
  }
}
