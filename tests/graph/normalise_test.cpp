#include "graph/ops/normalise.h"

#include "base/error.h"
#include "catch.h"
#include "graph/byte_inputs.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"
#include "ops.h"

using namespace ddlbench::graph;
using ddlbench::ContractError;
using ddlbench::test::placements;
using ddlbench::test::rejection;
using ddlbench::test::spec;

namespace {

const Normalisation of_channels{{0.5, 0.25}, {0.25, 0.5}};
const Normalisation of_all{{0.286}, {0.353}, Normalisation::Arithmetic::f64};

TensorType bytes_of(Shape shape) {
  return {std::move(shape), DType::u8};
}

/// A linear layer on images of 2 channels and 2 × 2 pixels, and its loss.
Graph image_model() {
  Graph g;
  const TensorId images = g.add_tensor({"images", {{4, 2, 2, 2}}, Role::input});
  const TensorId labels = g.add_tensor({"labels", {{4}, DType::i32}, Role::label});
  const TensorId weight = g.add_tensor({"weight", {{3, 8}}, Role::parameter});
  const TensorId flat = g.add("flat", std::make_shared<Flatten>(), {images})[0];
  const TensorId logits = g.add("last", std::make_shared<Linear>(false, Activation::none), {flat, weight})[0];
  for (const TensorId metric : g.add("loss", std::make_shared<CrossEntropy>(), {logits, labels}))
    g.tensors[static_cast<std::size_t>(metric)].role = Role::metric;
  return g;
}

}  // namespace

TEST_CASE("a normalised byte is (byte / 255 - mean) / deviation in the given arithmetic") {
  CHECK(normalised(of_channels, 0, 0) == -2.0F);
  CHECK(normalised(of_channels, 0, 255) == 2.0F);
  CHECK(normalised(of_channels, 1, 51) == (51 / 255.0F - 0.25F) / 0.5F);
  CHECK(normalised(of_all, 7, 100) == static_cast<float>((100 / 255.0 - 0.286) / 0.353));
  Normalisation narrow = of_all;
  narrow.arithmetic = Normalisation::Arithmetic::f32;
  int differing = 0;
  for (int byte = 0; byte < 256; ++byte)
    differing += normalised(of_all, 0, static_cast<std::uint8_t>(byte)) !=
                 normalised(narrow, 0, static_cast<std::uint8_t>(byte));
  CHECK(differing > 0);
  const std::uint8_t bytes[] = {0, 255, 51, 0, 255, 0, 51, 51};  // two samples, each with two channels of two values
  CHECK(normalised(of_channels, {2, 2}, bytes, 2) == std::vector<float>{-2, 2, normalised(of_channels, 1, 51), -0.5F, 2,
                                                                        -2, normalised(of_channels, 1, 51),
                                                                        normalised(of_channels, 1, 51)});
}

TEST_CASE("normalise converts bytes to floating-point numbers and rejects other inputs") {
  const Normalise op(of_channels, DType::bf16);
  CHECK(op.infer(std::vector{bytes_of({3, 2, 5, 5})})[0] == TensorType{{3, 2, 5, 5}, DType::bf16});
  CHECK(op.attributes() == "to=bf16 mean=0.5,0.25 deviation=0.25,0.5 arithmetic=f32");
  CHECK(rejection(op, {bytes_of({3, 3, 5, 5})}) ==
        "normalise: u8[3x3x5x5] is not a row-major u8 tensor with 2 channels");
  CHECK(rejection(op, {{{3, 2, 5, 5}, DType::f32}}).find("f32[3x2x5x5] is not a row-major u8 tensor") !=
        std::string::npos);
  CHECK(rejection(op, {{{3, 2, 5, 5}, DType::u8, 2}}).find("is not a row-major u8 tensor") != std::string::npos);
  CHECK(Normalise(of_all, DType::f32).infer(std::vector{bytes_of({3, 7})})[0] == TensorType{{3, 7}, DType::f32});
  CHECK(rejection(Normalise(of_all, DType::f32), {bytes_of({3})}).find("with any number of channels") !=
        std::string::npos);
  CHECK_THROWS_AS(Normalise({{}, {}}, DType::f32), ContractError);
  CHECK_THROWS_AS(Normalise({{0, 0}, {1}}, DType::f32), ContractError);
  CHECK_THROWS_AS(Normalise({{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}}, DType::f32), ContractError);
  CHECK_THROWS_AS(Normalise(of_all, DType::i32), ContractError);
}

TEST_CASE("normalise is split by samples") {
  CHECK(placements(Normalise(of_channels, DType::f32), {bytes_of({4, 2, 5, 5})}) == "S(0) -> S(0)\n");
}

TEST_CASE("with_byte_inputs adds only a normalise node at the beginning of the model") {
  const Graph before = image_model();
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    const Graph after = with_byte_inputs(before, of_channels, dtype);
    REQUIRE(after.nodes.size() == before.nodes.size() + 1);  // no cast
    const Node& first = after.nodes[0];
    CHECK(first.name == "images.normalise");
    CHECK(spec(after, first.inputs[0]).name == "images");
    CHECK(spec(after, first.inputs[0]).type == bytes_of({4, 2, 2, 2}));
    CHECK(spec(after, first.outputs[0]).type == TensorType{{4, 2, 2, 2}, dtype});
    CHECK(after.nodes[1].inputs == first.outputs);
    CHECK(spec(after, after.with_role(Role::parameter)[0]).type.dtype == dtype);
    CHECK(after.batch() == 4);
    CHECK(spec(with_batch(after, 6), after.with_role(Role::input)[0]).type == bytes_of({6, 2, 2, 2}));
    CHECK(for_evaluation(after).graph.nodes.size() == after.nodes.size());
    const Graph training = differentiate(after);
    CHECK(training.gradients[static_cast<std::size_t>(first.outputs[0])] == absent);
    CHECK(training.with_role(Role::gradient).size() == 1);
  }
  CHECK(spec(with_byte_inputs(before, of_channels, DType::f32), before.with_role(Role::label)[0]).type.dtype ==
        DType::i32);
}

TEST_CASE("with_byte_inputs does not change integer inputs") {
  Graph g;
  const TensorId tokens = g.add_tensor({"tokens", {{4, 2}, DType::i32}, Role::input});
  CHECK(spec(with_byte_inputs(g, of_all, DType::f32), tokens).type.dtype == DType::i32);
  CHECK(with_byte_inputs(g, of_all, DType::f32).nodes.empty());
}
