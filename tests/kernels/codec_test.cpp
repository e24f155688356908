#include "graph/ops/codec.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "catch.h"
#include "codec_cases.h"
#include "own/on_every_device.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

const std::vector<std::int64_t> sizes{0, 1, 17, 512, 700, 5000};

/// Calls body(device, codec) for each device and codec.
void on_each(const auto& body) {
  test::on_every_device([&](kernels::Device& device) {
    for (const graph::Codec& codec : test::codecs()) {
      CAPTURE(codec.text());
      body(device, codec);
    }
  });
}

std::int64_t group_of(const graph::Codec& codec, std::int64_t elements) {
  const auto group = codec.options.find("group");
  return group == codec.options.end() ? elements : std::get<std::int64_t>(group->second);
}

}  // namespace

TEST_CASE("every codec is tested") {
  std::set<std::string> tested, all;
  for (const graph::Codec& codec : test::codecs()) tested.insert(codec.kind->name);
  for (const graph::CodecKind& kind : graph::codec_kinds()) all.insert(kind.name);
  CHECK(tested == all);
}

TEST_CASE("all devices make the same payloads and residuals, bit for bit") {
  const auto oracle = test::device("reference");
  on_each([&](kernels::Device& device, const graph::Codec& codec) {
    for (const std::int64_t size : sizes) {
      const HostTensor g = test::gradient(size), residual = test::random_tensor({size}, "residual");
      const auto expected = test::encode(*oracle, codec, g, &residual),
                 actual = test::encode(device, codec, g, &residual);
      CHECK(actual[0].bytes() == expected[0].bytes());
      CHECK(actual[1].bytes() == expected[1].bytes());
      CHECK(test::encode(device, codec, g)[0].bytes() == test::encode(*oracle, codec, g)[0].bytes());
    }
  });
}

TEST_CASE("the residual is what the payload lost") {
  on_each([](kernels::Device& device, const graph::Codec& codec) {
    for (const std::int64_t size : sizes) {
      const HostTensor g = test::gradient(size), residual = test::random_tensor({size}, "residual");
      const auto made = test::encode(device, codec, g, &residual);
      const HostTensor sent = test::decode(device, codec, made[0], size);
      for (std::size_t i = 0; i < g.values.size(); ++i) {
        const float v = g.values[i] + residual.values[i];
        REQUIRE(made[1].values[i] == v - sent.values[i]);
      }
    }
  });
}

TEST_CASE("a residual is updated in place") {
  on_each([](kernels::Device& device, const graph::Codec& codec) {
    for (const std::int64_t size : sizes) {
      const HostTensor residual = test::random_tensor({size}, "residual");
      test::Run run{std::make_shared<graph::Encode>(codec, true), {test::gradient(size), residual}, {}};
      const auto apart = test::run(device, run);
      run.in_place = {{1, 1}};
      const auto in_place = test::run(device, run);
      CHECK(in_place[0].bytes() == apart[0].bytes());
      CHECK(in_place[1].bytes() == apart[1].bytes());
    }
  });
}

TEST_CASE("decode adds payloads in their order") {
  on_each([](kernels::Device& device, const graph::Codec& codec) {
    constexpr int parts = 4;
    for (const std::int64_t size : sizes) {
      HostTensor all{{{parts * codec.payload_bytes(size)}, graph::DType::u8}, {}};
      const HostTensor before = test::random_tensor({size}, "before");
      std::vector<float> sum(static_cast<std::size_t>(size)), added = before.values;
      for (int part = 0; part < parts; ++part) {
        HostTensor g = test::gradient(size, std::to_string(part));
        for (float& value : g.values) value *= part == 1 ? 1e6F : part == 2 ? -1e6F : 1;  // the order matters
        const HostTensor payload = test::encode(device, codec, g)[0];
        all.values.insert(all.values.end(), payload.values.begin(), payload.values.end());
        const HostTensor one = test::decode(device, codec, payload, size);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one.values[i];
        for (std::size_t i = 0; i < sum.size(); ++i) added[i] += one.values[i];
      }
      test::Run run{std::make_shared<graph::Decode>(codec, size, parts), {all}, {}};
      CHECK(test::run(device, run)[0].values == sum);
      run.accumulate = true;
      run.initial_outputs = {before};
      CHECK(test::run(device, run)[0].values == added);
    }
  });
}

TEST_CASE("a NaN or an infinity is not lost in its group") {
  on_each([](kernels::Device& device, const graph::Codec& codec) {
    constexpr std::int64_t size = 4000;
    for (const float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
      for (const std::int64_t at : {0, 5, 1600, 3999}) {
        HostTensor g = test::gradient(size);
        g.values[static_cast<std::size_t>(at)] = bad;
        const HostTensor residual = test::zeros({{size}});
        const auto made = test::encode(device, codec, g, &residual);
        const HostTensor sent = test::decode(device, codec, made[0], size);
        const std::int64_t group = group_of(codec, size), begin = at / group * group;
        const auto first = sent.values.begin() + begin, last = first + std::min(group, size - begin);
        const auto lost = [](float value) { return std::isfinite(value); };
        CAPTURE(bad, at);
        CHECK(!std::all_of(first, last, lost));
        CHECK(std::all_of(sent.values.begin(), first, lost));
        CHECK(std::all_of(last, sent.values.end(), lost));
      }
    }
  });
}

TEST_CASE("devices make the same payload of NaN and infinities") {
  const auto oracle = test::device("reference");
  on_each([&](kernels::Device& device, const graph::Codec& codec) {
    HostTensor g = test::gradient(3000);
    const std::vector<float> bad{NAN, -NAN, INFINITY, -INFINITY, 3e38F, -3e38F, 1e-44F, -0.0F};
    for (std::size_t i = 0; i < bad.size(); ++i) g.values[i * 300] = bad[i];
    CHECK(test::encode(device, codec, g)[0].bytes() == test::encode(*oracle, codec, g)[0].bytes());
    g.values.assign(g.values.size(), 0);
    CHECK(test::encode(device, codec, g)[0].bytes() == test::encode(*oracle, codec, g)[0].bytes());
    const HostTensor zeros = test::decode(device, codec, test::encode(device, codec, g)[0], 3000);
    CHECK(std::all_of(zeros.values.begin(), zeros.values.end(), [](float value) { return value == 0; }));
  });
}

TEST_CASE("a 16-bit gradient has the payload of the same numbers in f32") {
  on_each([](kernels::Device& device, const graph::Codec& codec) {
    for (const graph::DType dtype : {graph::DType::bf16, graph::DType::f16}) {
      const graph::TensorType type{{700}, dtype};
      const HostTensor narrow = HostTensor::from_bytes(type, HostTensor{type, test::gradient(700).values}.bytes());
      const HostTensor wide{{{700}}, narrow.values};
      CHECK(test::encode(device, codec, narrow)[0].bytes() == test::encode(device, codec, wide)[0].bytes());
    }
  });
}

TEST_CASE("a payload does not depend on the number of threads") {
  for (const auto& kind : test::other_kinds()) {
    const auto one = test::device(kind, 1), three = test::device(kind, 3);
    for (const graph::Codec& codec : test::codecs()) {
      CAPTURE(kind, codec.text());
      const HostTensor g = test::gradient(150'001);
      const HostTensor payload = test::encode(*one, codec, g)[0];
      CHECK(test::encode(*three, codec, g)[0].bytes() == payload.bytes());
      CHECK(test::decode(*three, codec, payload, 150'001).bytes() ==
            test::decode(*one, codec, payload, 150'001).bytes());
    }
  }
}

TEST_CASE("a payload that no encode made is decoded within the bucket") {
  on_each([](kernels::Device& device, const graph::Codec& codec) {
    for (const float byte : {0.0F, 1.0F, 127.0F, 255.0F}) {
      HostTensor payload = test::zeros({{codec.payload_bytes(900)}, graph::DType::u8});
      payload.values.assign(payload.values.size(), byte);
      test::decode(device, codec, payload, 900);  // checks the memory around the output
    }
  });
}

TEST_CASE("payloads must be aligned to words") {
  test::on_every_device([](kernels::Device& device) {
    const graph::Codec codec = graph::make_codec({"top_k", {}});
    kernels::Binding binding{{std::make_shared<graph::Encode>(codec, false)}, {{{1}}}, {{{8}, graph::DType::u8}}};
    binding.input_alignments = {4};
    binding.output_alignments = {2};
    CHECK_THROWS_WITH(device.bind(binding), Catch::Matchers::Contains("a payload must be aligned to 4 bytes"));
  });
}
