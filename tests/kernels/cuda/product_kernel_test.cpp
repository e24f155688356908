#include "kernels/cuda/product_kernel.h"

#include <cmath>
#include <utility>

#include "../own/host_launcher.h"
#include "catch.h"
#include "graph/ops/linear.h"
#include "kernels/cuda/blas/handle.h"
#include "kernels/cuda/linear.h"

using namespace ddlbench;
using namespace ddlbench::kernels::cuda;
using graph::Activation;

namespace {

constexpr float bias_value = 0.5f, before = 10;
const std::vector<float> sums{-3, 2, -0.25f};

/// A fake library product: its output is `sums`, with bias, relu and accumulation as requested.
class FakeProduct final : public Product {
 public:
  FakeProduct(bool bias, bool relu, bool adds) : bias_(bias), relu_(relu), adds_(adds) {}
  std::size_t workspace_bytes() const override { return 100; }
  void run(const void* const*, void* const* outputs, void* workspace) override {
    std::memset(workspace, 0xFF, workspace_bytes());
    auto* y = static_cast<float*>(outputs[0]);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      float z = sums[i] + (bias_ ? bias_value : 0.0f);
      if (relu_ && z < 0) z = 0;
      y[i] = adds_ ? y[i] + z : z;
    }
  }

 private:
  bool bias_, relu_, adds_;
};

std::vector<float> launch(kernels::Kernel& kernel, bool bias) {
  std::vector<float> y(sums.size(), before);
  std::vector<unsigned char> workspace(kernel.workspace_bytes());
  const void* inputs[] = {nullptr, bias ? &bias_value : nullptr};
  void* outputs[] = {y.data()};
  kernel.launch({inputs, outputs, workspace.data(), nullptr});
  return y;
}

}  // namespace

TEST_CASE("what a library does not compute of an op is computed after it, and nothing twice") {
  std::vector<test::HostLauncher::Launch> launches;
  const LaunchFinish on_host = [&](const auto& finish, const void* x, const void* b, void* y) {
    kernels::own::launch_finish(test::HostLauncher(1, launches), finish, x, b, y);
  };
  for (const bool bias : {false, true}) {
    for (const bool relu : {false, true}) {
      for (const bool accumulate : {false, true}) {
        for (const bool finished : {false, true}) {
          for (const bool adds : {false, true}) {
            if (adds && (!accumulate || ((bias || relu) && !finished))) continue;
            for (const auto& [empty, in_workspace] : {std::pair{false, false}, {false, true}, {true, false}}) {
              if (adds && in_workspace) continue;
              CAPTURE(bias, relu, accumulate, finished, adds, empty, in_workspace);
              ProductOp op;
              op.output_in_workspace = in_workspace;
              op.finish = {{3, 1, 1}, graph::DType::f32, relu ? Activation::relu : Activation::none, accumulate};
              op.bias = bias ? 1 : -1;
              auto product = std::make_unique<FakeProduct>(bias && finished, relu && finished, adds);
              const auto kernel = empty ? make_product_kernel(on_host, op, false, false, nullptr)
                                        : make_product_kernel(on_host, op, finished, adds, std::move(product));
              std::vector<float> expected;
              for (const float sum : sums) {
                float z = (empty ? 0.0f : sum) + (bias ? bias_value : 0.0f);
                if (relu && z < 0) z = 0;
                expected.push_back(accumulate ? before + z : z);
              }
              launches.clear();
              CHECK(launch(*kernel, bias) == expected);
              const bool whole = !empty && !in_workspace && (adds || !accumulate) && (finished || (!bias && !relu));
              CHECK(launches.size() == (whole ? 0 : 1));
            }
          }
        }
      }
    }
  }
}

namespace {

/// A fake library product that adds 7 as the bias gradient to its second output, or does not compute it.
class FakeGradient final : public Product {
 public:
  explicit FakeGradient(bool bias) : bias_(bias) {}
  std::size_t workspace_bytes() const override { return 0; }
  void run(const void* const*, void* const* outputs, void*) override {
    *static_cast<float*>(outputs[0]) = 5;
    if (bias_) *static_cast<float*>(outputs[1]) += 7;
  }

 private:
  bool bias_;
};

class AddsBiasGradient final : public kernels::Kernel {
 public:
  explicit AddsBiasGradient(std::unique_ptr<kernels::Kernel> weights) : weights_(std::move(weights)) {}
  void launch(const kernels::Arguments& arguments) override {
    weights_->launch(arguments);
    *static_cast<float*>(arguments.outputs[1]) += 7;
  }
  std::size_t workspace_bytes() const override { return weights_->workspace_bytes(); }
  double flops() const override { return weights_->flops(); }

 private:
  std::unique_ptr<kernels::Kernel> weights_;
};

}  // namespace

TEST_CASE("a bias gradient that a library does not compute with its product is computed after it, and none twice") {
  const LaunchFinish nothing_left = [](const auto&, const void*, const void*, void*) { FAIL("nothing is left to do"); };
  ProductOp op;
  op.finish = {{1, 1, 1}, graph::DType::f32, Activation::none, false};
  op.complete = [](std::unique_ptr<kernels::Kernel> weights) -> std::unique_ptr<kernels::Kernel> {
    return std::make_unique<AddsBiasGradient>(std::move(weights));
  };
  for (const bool finished : {false, true}) {
    CAPTURE(finished);
    const auto kernel =
        make_product_kernel(nothing_left, op, finished, false, std::make_unique<FakeGradient>(finished));
    float weights = 0, bias = 0;
    void* outputs[] = {&weights, &bias};
    std::vector<unsigned char> workspace(kernel->workspace_bytes() + 1);
    kernel->launch({nullptr, outputs, workspace.data(), nullptr});
    CHECK(weights == 5);
    CHECK(bias == 7);
  }
}

TEST_CASE("for tensor cores, libraries get aligned parameters and gradients, and no bias that is not aligned") {
  const graph::TensorType x{{4, 6}, graph::DType::bf16}, w{{5, 6}, graph::DType::bf16}, b{{5}, graph::DType::bf16};
  const graph::TensorType y{{4, 5}, graph::DType::bf16};
  kernels::Binding forward{{std::make_shared<graph::Linear>(true, Activation::relu)}, {x, w, b}, {y}, {16, 4, 2}, {16}};
  Context context;
  ProductOp op;
  op.bias = 2;
  const auto seen = for_library(context, forward, op);
  CHECK(seen.input_alignments == std::vector<std::int64_t>{16, 16, 2});
  REQUIRE(op.copies.size() == 1);
  CHECK(op.copies[0].input == 1);
  CHECK(op.copies[0].bytes == 60);
  CHECK_FALSE(op.output_in_workspace);
  CHECK_FALSE(fuses_bias(context, seen, 2));
  context.blas = std::make_shared<Blas>();  // of no GPU
  for (const Candidate& candidate : linear_candidates(context, forward)) CHECK_FALSE(candidate.finished);
  forward.input_alignments[2] = 16;
  CHECK(linear_candidates(context, forward).front().finished);

  kernels::Binding backward{{std::make_shared<graph::LinearBackwardWeight>(true)}, {x, y}, {w, b}, {16, 16}, {4, 16}};
  ProductOp gradient;
  CHECK(for_library(context, backward, gradient).output_alignments == std::vector<std::int64_t>{16, 16});
  CHECK(gradient.copies.empty());
  CHECK(gradient.output_in_workspace);
  CHECK_FALSE(fuses_bias_gradient(context, backward, gradient));
}

TEST_CASE("in f32 without TF32, libraries get operands as they are") {
  const graph::TensorType x{{4, 6}}, w{{5, 6}}, y{{4, 5}};
  kernels::Binding forward{{std::make_shared<graph::Linear>(false, Activation::none)}, {x, w}, {y}, {16, 4}, {4}};
  Context context;
  for (const bool tf32 : {false, true}) {
    context.tf32 = tf32;
    ProductOp op;
    const auto seen = for_library(context, forward, op);
    CHECK(seen.input_alignment(1) == (tf32 ? 16 : 4));
    CHECK(op.output_in_workspace == tf32);
    CHECK(op.copies.size() == (tf32 ? 1 : 0));
  }
}
