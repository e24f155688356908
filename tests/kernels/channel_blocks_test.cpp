#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "blocked.h"
#include "cases.h"
#include "catch.h"
#include "graph/ops/activation.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/pool.h"
#include "graph/ops/reorder.h"
#include "graph/ops/shape.h"
#include "harness.h"
#include "kernels/rewrite/convert.h"
#include "narrow.h"

using namespace ddlbench;
using test::Blocked;
using test::check;
using test::HostTensor;

namespace {

using graph::Activation;

void check_everywhere(const Blocked& one, bool can_accumulate = false) {
  for (const auto& kind : test::kinds()) {
    if (kind.channel_block == nullptr && kind.name != "reference") continue;
    for (const int threads : {1, 3}) check(*test::device(kind.name, threads), one);
    if (!can_accumulate) continue;
    Blocked added = one;
    added.run.accumulate = true;
    const auto outputs = test::run(*test::device("reference"), one.run);
    for (const HostTensor& output : outputs)
      added.run.initial_outputs.push_back(test::random_tensor(output.type.shape, "initial"));
    check(*test::device(kind.name, 2), added);
  }
}

}  // namespace

TEST_CASE("a convolution supports channel blocks, of input and output independently") {
  struct Convolution {
    graph::Shape x, w;
    graph::ConvolutionAttributes geometry;
    std::int64_t x_block, y_block;
  };
  for (const auto& [x_shape, w_shape, geometry, x_block, y_block] :
       {Convolution{{2, 16, 9, 7}, {32, 16, 3, 3}, {1, 1}, 16, 16},
        Convolution{{2, 3, 9, 9}, {16, 3, 5, 5}, {2, 2}, 1, 16},
        Convolution{{3, 32, 5, 5}, {16, 32, 1, 1}, {1, 0}, 16, 1},
        Convolution{{1, 24, 6, 6}, {8, 24, 3, 3}, {1, 1}, 8, 8},
        Convolution{{2, 64, 8, 8}, {64, 64, 3, 3}, {1, 1}, 16, 16},
        Convolution{{2, 16, 6, 6}, {16, 8, 3, 3}, {1, 1, 1, 2}, 4, 8},
        Convolution{{2, 12, 1, 1}, {20, 12, 1, 1}, {1, 0}, 4, 4}}) {
    const auto x = test::random_tensor(x_shape, "x"), w = test::random_tensor(w_shape, "w");
    const auto b = test::random_tensor({w_shape[0]}, "b");
    const double terms = static_cast<double>(w_shape[1] * w_shape[2] * w_shape[3]) + 1;
    const auto plain = std::make_shared<graph::Conv2d>(geometry, false, Activation::none);
    check_everywhere({{plain, {x, w}, {}}, {x_block, 1}, {y_block}, terms}, true);
    check_everywhere({{std::make_shared<graph::Conv2d>(geometry, true, Activation::relu), {x, w, b}, {}},
                      {x_block, 1, 1},
                      {y_block},
                      terms});
    const auto y = plain->infer(std::vector<graph::TensorType>{x.type, w.type})[0];
    const auto dz = test::random_tensor(y.shape, "dz");
    check_everywhere({{std::make_shared<graph::Conv2dBackwardInput>(geometry, x_shape[2], x_shape[3]), {dz, w}, {}},
                      {y_block, 1},
                      {x_block},
                      static_cast<double>(w_shape[0] * w_shape[2] * w_shape[3])},
                     true);
    check_everywhere({{std::make_shared<graph::Conv2dBackwardWeight>(geometry, w_shape[2], true), {x, dz}, {}},
                      {x_block, y_block},
                      {1, 1},
                      static_cast<double>(x_shape[0] * y.shape[2] * y.shape[3]) + 1},
                     true);
  }
}

TEST_CASE("max pooling supports channel blocks") {
  struct Pool {
    graph::Shape x;
    graph::PoolAttributes geometry;
    std::int64_t block;
  };
  for (const auto& [shape, geometry, block] :
       {Pool{{2, 32, 8, 8}, {2, 2}, 16}, Pool{{1, 16, 8, 9}, {2, 2}, 16}, Pool{{1, 16, 9, 8}, {2, 2}, 16},
        Pool{{1, 16, 9, 7}, {3, 2, 1}, 16}, Pool{{3, 24, 5, 5}, {3, 1, 1}, 8}, Pool{{2, 12, 6, 6}, {4, 3, 2}, 4},
        Pool{{1, 8, 1, 1}, {1, 1}, 8}}) {
    const auto x = test::random_tensor(shape, "x");
    const test::Run forward{std::make_shared<graph::MaxPool2d>(geometry), {x}, {}};
    check_everywhere({forward, {block}, {block, block}, 0});
    const auto made = test::run(*test::device("reference"), forward);
    const auto dy = test::random_tensor(made[0].type.shape, "dy");
    check_everywhere({{std::make_shared<graph::MaxPool2dBackward>(geometry, shape[2], shape[3]), {dy, made[1]}, {}},
                      {block, block},
                      {block},
                      static_cast<double>(geometry.kernel * geometry.kernel)},
                     true);
  }
}

TEST_CASE("max pooling in channel blocks takes the first of equal maxima, and NaN only if it is first in a window") {
  auto x = test::random_tensor({2, 32, 8, 8}, "x");
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    x.values[i] = std::floor(2 * x.values[i]);
    if (i % 7 == 0) x.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  for (const graph::PoolAttributes geometry : {graph::PoolAttributes{2, 2}, graph::PoolAttributes{3, 2, 1}}) {
    const auto pool = std::make_shared<graph::MaxPool2d>(geometry);
    const auto expected = test::run(*test::device("reference"), {pool, {x}, {}});
    for (const auto& kind : test::kinds()) {
      for (const std::int64_t block : {4, 8, 16}) {
        CAPTURE(kind.name, pool->attributes(), block);
        test::Run run{pool, {in_block(x, block)}, {expected[0].type, expected[1].type}};
        for (auto& type : run.output_types) type.channel_block = block;
        const auto actual = test::run(*test::device(kind.name), run);
        CHECK(test::in_block(actual[1], 1).values == expected[1].values);
        CHECK(test::in_block(actual[0], 1).bytes() == expected[0].bytes());
      }
    }
  }
}

TEST_CASE("batch norm supports channel blocks") {
  struct Batch {
    graph::Shape x;
    std::int64_t samples, block;
  };
  for (const auto& [shape, samples, block] :
       {Batch{{4, 32, 5, 5}, 0, 16}, Batch{{4, 24, 7, 3}, 2, 8}, Batch{{6, 20, 1, 1}, 3, 4},
        Batch{{2, 16, 40, 20}, 1, 16}, Batch{{6, 288, 6, 6}, 2, 16}, Batch{{6, 144, 7, 7}, 2, 48}}) {
    const auto oracle = test::device("reference");
    const auto x = test::random_tensor(shape, "x"), dz = test::random_tensor(shape, "dz");
    const auto residual = test::random_tensor(shape, "residual");
    const auto gamma = test::random_tensor({shape[1]}, "gamma"), beta = test::random_tensor({shape[1]}, "beta");
    const auto mean = test::random_tensor({shape[1]}, "mean");
    const auto variance = test::random_tensor({shape[1]}, "variance", 0.5f, 2);
    const double terms = std::max(128.0, static_cast<double>(graph::elements(shape)));
    const auto of_x = std::make_shared<graph::BatchMoments>(samples);
    check_everywhere({{of_x, {x}, {}}, {block}, {1}, terms});
    const auto moments = test::run(*oracle, {of_x, {x}, {}})[0];
    const graph::BatchNormAttributes norm{samples, 1e-3f};
    check_everywhere(
        {{std::make_shared<graph::BatchNorm>(norm, true, Activation::relu), {x, moments, gamma, beta, residual}, {}},
         {block, 1, 1, 1, block},
         {block},
         terms});
    check_everywhere({{std::make_shared<graph::BatchNormInference>(1e-3f, true, Activation::relu),
                       {x, gamma, beta, mean, variance, residual},
                       {}},
                      {block, 1, 1, 1, 1, block},
                      {block},
                      8});
    const auto none = Activation::none, relu = Activation::relu;
    const auto backward_moments = std::make_shared<graph::BatchNormBackwardMoments>(norm, false, none);
    check_everywhere({{backward_moments, {dz, x, moments}, {}}, {block, block, 1}, {1}, terms});
    check_everywhere(
        {{std::make_shared<graph::BatchNormBackwardMoments>(norm, false, relu), {dz, x, moments, gamma, beta}, {}},
         {block, block, 1, 1, 1},
         {1},
         terms});
    check_everywhere(
        {{std::make_shared<graph::BatchNormBackwardMoments>(norm, true, relu), {dz, x, moments, residual}, {}},
         {block, block, 1, block},
         {1, block},
         terms});
    const auto sums = test::run(*oracle, {backward_moments, {dz, x, moments}, {}})[0];
    check_everywhere({{std::make_shared<graph::BatchNormBackwardInput>(norm, none), {dz, x, moments, sums, gamma}, {}},
                      {block, block, 1, 1, 1},
                      {block},
                      terms},
                     true);
    check_everywhere(
        {{std::make_shared<graph::BatchNormBackwardInput>(norm, relu), {dz, x, moments, sums, gamma, beta}, {}},
         {block, block, 1, 1, 1, 1},
         {block},
         terms},
        true);
  }
}

TEST_CASE("16-bit channel blocks are computed in f32 and rounded once") {
  for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
    const auto check_narrow = [dtype](const Blocked& one) {
      Blocked narrow = one;
      narrow.run = test::narrow_case({"", one.run, one.terms}, dtype).narrow;
      check(*test::device("cpu", 2), narrow);
    };
    const graph::Shape shape{2, 32, 6, 6};
    const auto x = test::random_tensor(shape, "x"), dy = test::random_tensor(shape, "dy");
    const auto y = test::random_tensor(shape, "y"), pooled = test::random_tensor({2, 32, 3, 3}, "pooled");
    const auto gamma = test::random_tensor({32}, "gamma"), beta = test::random_tensor({32}, "beta");
    const auto oracle = test::device("reference");
    const auto moments = test::run(*oracle, {std::make_shared<graph::BatchMoments>(1), {x}, {}})[0];
    const graph::BatchNormAttributes norm{1, 1e-1f};
    const auto none = Activation::none, relu = Activation::relu;
    const auto backward_moments = std::make_shared<graph::BatchNormBackwardMoments>(norm, false, none);
    const auto sums = test::run(*oracle, {backward_moments, {dy, x, moments}, {}})[0];
    for (const std::int64_t block : {8, 16}) {
      check_narrow({{std::make_shared<graph::BatchMoments>(1), {x}, {}}, {block}, {1}, 36});
      check_narrow({{std::make_shared<graph::BatchNorm>(norm, true, relu), {x, moments, gamma, beta, y}, {}},
                    {block, 1, 1, 1, block},
                    {block},
                    36});
      check_narrow({{backward_moments, {dy, x, moments}, {}}, {block, block, 1}, {1}, 128});
      check_narrow({{std::make_shared<graph::BatchNormBackwardMoments>(norm, true, relu), {dy, x, moments, y}, {}},
                    {block, block, 1, block},
                    {1, block},
                    128});
      check_narrow(
          {{std::make_shared<graph::BatchNormBackwardInput>(norm, relu), {dy, x, moments, sums, gamma, beta}, {}},
           {block, block, 1, 1, 1, 1},
           {block},
           128});
      for (const graph::PoolAttributes pool : {graph::PoolAttributes{2, 2}, graph::PoolAttributes{3, 2, 1}}) {
        const test::Run forward{std::make_shared<graph::MaxPool2d>(pool), {x}, {}};
        check_narrow({forward, {block}, {block, block}, 0});
        const auto argmax = test::run(*oracle, forward)[1];
        const auto backward = std::make_shared<graph::MaxPool2dBackward>(pool, 6, 6);
        check_narrow({{backward, {pooled, argmax}, {}}, {block, block}, {block}, 9});
        Blocked adding{{backward, {pooled, argmax}, {}}, {block, block}, {block}, 9};
        adding.run.accumulate = true;
        adding.run.initial_outputs = {y};
        check_narrow(adding);
      }
      check_narrow({{std::make_shared<graph::Add>(), {x, y}, {}}, {block, block}, {block}, 3});
      check_narrow({{std::make_shared<graph::ActivationBackward>(relu), {dy, y}, {}}, {block, block}, {block}, 3});
    }
  }
}

TEST_CASE("elementwise ops and ops that move parts support channel blocks") {
  for (const std::int64_t block : {4, 8}) {
    const auto x = test::random_tensor({3, 16, 3, 5}, "x"), y = test::random_tensor({3, 16, 3, 5}, "y");
    const auto b = test::random_tensor({16}, "b");
    check_everywhere({{std::make_shared<graph::Add>(), {x, y}, {}}, {block, block}, {block}, 3}, true);
    check_everywhere(
        {{std::make_shared<graph::ActivationBackward>(Activation::relu), {x, y}, {}}, {block, block}, {block}, 2},
        true);
    check_everywhere({{std::make_shared<graph::BiasActivation>(Activation::relu, graph::Features::second), {x, b}, {}},
                      {block, 1},
                      {block},
                      3});
    check_everywhere({{std::make_shared<graph::BiasBackward>(graph::Features::second), {x}, {}}, {block}, {1}, 45});
    check_everywhere({{std::make_shared<graph::Slice>(1, 2, 1), {x}, {}}, {block}, {block}, 0});
    check_everywhere({{std::make_shared<graph::Reorder>(block), {x}, {x.type}}, {1}, {block}, 0});
    check_everywhere({{std::make_shared<graph::Reorder>(1), {x}, {x.type}}, {block}, {1}, 0});
  }
}

TEST_CASE("a part of a channel block is rejected") {
  const graph::TensorType x{{2, 16, 3, 3}, graph::DType::f32, 8}, part{{2, 4, 3, 3}, graph::DType::f32, 4};
  const graph::TensorType row{{2, 16, 1, 3}, graph::DType::f32, 8};
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    CHECK_THROWS_AS(device->bind({{std::make_shared<graph::Slice>(1, 4, 1)}, {x}, {part}}), ddlbench::InputError);
    CHECK_THROWS_AS(device->bind({{std::make_shared<graph::Slice>(2, 3, 1)}, {x}, {row}}), ddlbench::InputError);
  }
}

TEST_CASE("the cpu rejects channel blocks that are too large for its kernels, and filters in channel blocks") {
  const auto device = test::device("cpu");
  const graph::TensorType x{{2, 128, 3, 3}, graph::DType::f32, 128};
  CHECK_THROWS_AS(device->bind({{std::make_shared<graph::BatchMoments>(0)}, {x}, {{{1, 4, 128}}}}),
                  ddlbench::InputError);
  const graph::TensorType image{{2, 4, 3, 3}}, filter{{4, 4, 3, 3}, graph::DType::f32, 4};
  const auto convolution = std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{1, 1}, false, Activation::none);
  CHECK_THROWS_AS(device->bind({{convolution}, {image, filter}, {image}}), ddlbench::InputError);
}

TEST_CASE("channels-last is used for tensor cores only") {
  using graph::DType;
  for (const DType dtype : {DType::bf16, DType::f16})
    CHECK(kernels::channel_block("cuda", dtype) == graph::all_channels);
  CHECK(kernels::channel_block("cuda", DType::f32, true) == graph::all_channels);
  CHECK(kernels::channel_block("cuda", DType::f32) == 1);
  CHECK(kernels::channel_block("reference", DType::bf16) == 1);
  CHECK(kernels::channel_block("cpu", DType::bf16) == kernels::channel_block("cpu", DType::f32));
}
