#include "graph/ops/codec.h"

#include "base/error.h"
#include "catch.h"
#include "graph/ops/codecs/layout.h"
#include "ops.h"

using namespace ddlbench;
using namespace ddlbench::graph;
using test::f32;
using test::rejection;

namespace {

std::int64_t bytes_of(const Choice& choice, std::int64_t elements) {
  return make_codec(choice).payload_bytes(elements);
}

std::string rejected(const Choice& choice) {
  return test::failure_of<InputError>([&] { make_codec(choice); });
}

OptionValue integer(std::int64_t value) {
  return value;
}

}  // namespace

TEST_CASE("a payload has as many bytes as its codec's layout says") {
  // 2 means for each 2048 elements; 64 bytes of signs for each 512.
  CHECK(bytes_of({"one_bit", {}}, 1) == 64 + 8);
  CHECK(bytes_of({"one_bit", {}}, 512) == 64 + 8);
  CHECK(bytes_of({"one_bit", {}}, 2049) == 5 * 64 + 16);
  CHECK(bytes_of({"one_bit", {{"group", integer(512)}}}, 2049) == 5 * 64 + 5 * 8);
  // 64 bytes of codes for each 256 elements.
  CHECK(bytes_of({"ternary", {}}, 2048) == 8 * 64 + 4);
  CHECK(bytes_of({"ternary", {}}, 2049) == 9 * 64 + 8);
  CHECK(bytes_of({"two_bit", {}}, 2049) == 9 * 64);
  CHECK(bytes_of({"qsgd", {{"bits", integer(2)}}}, 513) == 3 * 64 + 8);
  CHECK(bytes_of({"qsgd", {}}, 513) == 5 * 64 + 8);
  CHECK(bytes_of({"qsgd", {{"bits", integer(8)}}}, 513) == 9 * 64 + 8);
  CHECK(bytes_of({"top_k", {}}, 1) == 8);
  CHECK(bytes_of({"top_k", {}}, 10'500) == 11 * 8);  // 10.5 is rounded to 11
  CHECK(bytes_of({"top_k", {{"density", 1.0}}}, 77) == 77 * 8);
  CHECK(bytes_of({"sparse_binary", {}}, 1) == 8);
  CHECK(bytes_of({"sparse_binary", {}}, 10'000) == 100 * 4 + 4);
  // 25 MB of f32
  CHECK(bytes_of({"one_bit", {}}, 6'250'000) == 12208 * 64 + 3052 * 8);
}

TEST_CASE("the payload of nothing is empty, and all payloads consist of words of 32 bits") {
  for (const CodecKind& kind : codec_kinds()) {
    const Codec codec = make_codec({kind.name, {}});
    CAPTURE(kind.name);
    CHECK(codec.payload_bytes(0) == 0);
    for (const std::int64_t elements : {1, 63, 511, 512, 513, 100'003}) CHECK(codec.payload_bytes(elements) % 4 == 0);
  }
}

TEST_CASE("codecs say whether they draw random numbers and whether error feedback belongs to them") {
  std::string drawing, feeding_back;
  for (const CodecKind& kind : codec_kinds()) {
    if (kind.draws) drawing += kind.name + " ";
    if (kind.error_feedback) feeding_back += kind.name + " ";
  }
  CHECK(drawing == "ternary qsgd ");
  CHECK(feeding_back == "one_bit two_bit top_k sparse_binary ");
}

TEST_CASE("a codec's text has its name and all options") {
  CHECK(make_codec({"qsgd", {{"bits", integer(8)}}}).text() == "qsgd bits=8 group=512");
  CHECK(make_codec({"two_bit", {}}).text() == "two_bit threshold=0.5");
}

TEST_CASE("invalid codecs are rejected with the remedy") {
  CHECK(rejected({"onebit", {}}) ==
        "unknown codec 'onebit' (did you mean 'one_bit'?); available: one_bit, ternary, qsgd, two_bit, top_k, "
        "sparse_binary");
  CHECK(rejected({"one_bit", {{"group", integer(1000)}}}) ==
        "codec one_bit: group must be a multiple of 512, but is 1000");
  CHECK(rejected({"one_bit", {{"group", integer(0)}}}) ==
        "codec one_bit: group must be at least 512 and at most 16777216, but is 0");
  CHECK(rejected({"qsgd", {{"bits", integer(3)}}}) == "codec qsgd: bits must be 2, 4 or 8, but is 3");
  CHECK(rejected({"top_k", {{"density", 0.0}}}) == "codec top_k: density must be above 0 and at most 1, but is 0");
  CHECK(rejected({"two_bit", {{"threshold", -1.0}}}).find("threshold must be above 0") != std::string::npos);
  CHECK(test::failure_of<InputError>([] { selected_of(0.001, std::int64_t{1} << 32); }) ==
        "a codec that selects elements takes at most 4294967295 at once, not 4294967296");
}

TEST_CASE("encode infers a payload and a residual, and decode a gradient") {
  const Codec codec = make_codec({"one_bit", {}});
  const TensorType payload{{72}, DType::u8}, narrow{{7}, DType::bf16};
  CHECK(Encode(codec, false).infer(std::vector{f32({7})}) == std::vector{payload});
  CHECK(Encode(codec, true).infer(std::vector{narrow, f32({7})}) == std::vector{payload, f32({7})});
  CHECK(Decode(codec, 7, 1).infer(std::vector{payload}) == std::vector{f32({7})});
  CHECK(Decode(codec, 7, 2, DType::bf16).infer(std::vector{TensorType{{144}, DType::u8}}) == std::vector{narrow});
  CHECK(rejection(Encode(codec, false), {f32({2, 3})}) ==
        "encode: f32[2x3] must be a flat tensor of floating-point numbers");
  CHECK(rejection(Encode(codec, true), {f32({7}), narrow}) ==
        "encode: the residual bf16[7] must have one f32 for each element of f32[7]");
  CHECK(rejection(Decode(codec, 7, 2), {payload}) == "decode: 2 payloads of 7 elements are u8[144], not u8[72]");
  CHECK(Encode(codec, true, 5).attributes() == "one_bit group=2048 feedback=yes stream=5");
  CHECK(Decode(codec, 7, 2).attributes() == "one_bit group=2048 elements=7 parts=2 to=f32");
}

TEST_CASE("the FLOPs of codecs count elements, and those of decode also parts") {
  const Codec codec = make_codec({"one_bit", {}});
  const std::vector g{f32({100})}, both{f32({100}), f32({100})};
  CHECK(Encode(codec, false).flops(g, {}) == 200);
  CHECK(Encode(codec, true).flops(both, {}) == 400);
  CHECK(Decode(codec, 100, 3).flops(g, {}) == 300);
}
