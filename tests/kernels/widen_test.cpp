#include "kernels/rewrite/widen.h"

#include <cmath>

#include "catch.h"
#include "graph/ops/activation.h"
#include "graph/ops/embedding.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/shape.h"
#include "kernels/kernel_table.h"
#include "kernels/own/storage.h"
#include "kernels/rewrite/convert.h"
#include "narrow.h"

using namespace ddlbench;
using graph::DType;

namespace {

test::HostTensor numbers_of(std::vector<float> values, DType dtype) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {{{size}, dtype}, std::move(values)};
}

std::vector<std::unique_ptr<kernels::Device>> host_devices() {
  std::vector<std::unique_ptr<kernels::Device>> devices;
  for (const char* kind : {"reference", "cpu"}) devices.push_back(test::device(kind, 2));
  return devices;
}

}  // namespace

TEST_CASE("arrays are widened and narrowed like single numbers, on one and on several threads") {
  for (const int threads : {1, 3}) {
    for (const std::int64_t size : {0, 1, 7, 16, 65536 * 3}) {
      std::vector<std::uint16_t> bits(static_cast<std::size_t>(size)), back(bits.size());
      for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i * 40503u);
      std::vector<float> wide(bits.size());
      std::int64_t differing = 0;
      kernels::widen(threads, DType::bf16, bits.data(), wide.data(), size);
      kernels::narrow(threads, DType::f16, wide.data(), back.data(), size);
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const float one = kernels::own::to_f32(kernels::own::Bfloat16{bits[i]});
        if (std::isnan(one) ? !std::isnan(wide[i]) : wide[i] != one) ++differing;
        if (back[i] != kernels::own::from_f32<kernels::own::Float16>(one).bits) ++differing;
      }
      kernels::widen(threads, DType::f16, bits.data(), wide.data(), size);
      kernels::narrow(threads, DType::bf16, wide.data(), back.data(), size);
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const float one = kernels::own::to_f32(kernels::own::Float16{bits[i]});
        if (std::isnan(one) ? !std::isnan(wide[i]) : wide[i] != one) ++differing;
        if (back[i] != kernels::own::from_f32<kernels::own::Bfloat16>(one).bits) ++differing;
      }
      CHECK(differing == 0);
    }
  }
}

TEST_CASE("a sum is rounded once, to the nearest, ties to even") {
  // In bf16 there are 8 bits: neighbours of 1 are 2⁻⁷ apart, those of 256 are 2 apart.
  const auto a = numbers_of({1, 1, 1, 256, 256, -256}, DType::bf16);
  const auto b = numbers_of({0x1p-8f, 0x1.8p-7f, 0x1.02p-8f, 1, 3, -1}, DType::bf16);
  const std::vector<float> rounded{1, 1 + 0x1p-6f, 1 + 0x1p-7f, 256, 260, -256};
  for (const auto& device : host_devices()) {
    CAPTURE(device->kind());
    CHECK(test::run(*device, {std::make_shared<graph::Add>(), {a, b}, {}})[0].values == rounded);
  }
}

TEST_CASE("an output that accumulates is widened first, and rounded once") {
  // Rounded before it is added, 2⁻⁸ + 2⁻¹⁷ would be 2⁻⁸, and leave a tie.
  const auto x = numbers_of({1, 3, 0x1p-8f}, DType::bf16), y = numbers_of({0, 0, 0x1p-17f}, DType::bf16);
  const auto before = numbers_of({256, 256, 1}, DType::bf16);
  test::Run run{std::make_shared<graph::Add>(), {x, y}, {}};
  run.accumulate = true;
  run.initial_outputs = {before};
  for (const auto& device : host_devices()) {
    CAPTURE(device->kind());
    CHECK(test::run(*device, run)[0].values == std::vector<float>{256, 260, 1 + 0x1p-7f});
  }
}

TEST_CASE("bf16 weight gradients are summed in f32 and rounded after accumulation") {
  // 257 rows of 1: rounded before they are added, they would be 256.
  auto ones = numbers_of(std::vector<float>(257, 1.0f), DType::bf16);
  ones.type.shape = {257, 1};
  auto weights = numbers_of({2}, DType::bf16);
  weights.type.shape = {1, 1};
  for (const bool bias : {false, true}) {
    test::Run run{std::make_shared<graph::LinearBackwardWeight>(bias), {ones, ones}, {}};
    run.accumulate = true;
    run.initial_outputs = {weights};
    if (bias) run.initial_outputs.push_back(numbers_of({1}, DType::bf16));
    for (const auto& device : host_devices()) {
      CAPTURE(device->kind(), bias);
      const auto gradients = test::run(*device, run);
      CHECK(gradients[0].values == std::vector<float>{260});            // 259, a tie
      if (bias) CHECK(gradients[1].values == std::vector<float>{258});  // exactly
    }
  }
}

TEST_CASE("a 16-bit output may have the address of an input") {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const auto x = test::in_type(test::random_tensor({5, 7, 33}, "x"), dtype);
    const auto y = test::in_type(test::random_tensor({5, 7, 33}, "y"), dtype);
    const auto b = test::in_type(test::random_tensor({33}, "b"), dtype);
    const auto relu = graph::Activation::relu;
    for (const test::Run& apart :
         {test::Run{std::make_shared<graph::Add>(), {x, y}, {}},
          test::Run{std::make_shared<graph::BiasActivation>(relu, graph::Features::last), {x, b}, {}},
          test::Run{std::make_shared<graph::BiasActivation>(relu, graph::Features::last, false), {x}, {}},
          test::Run{std::make_shared<graph::ActivationBackward>(relu), {x, y}, {}}}) {
      auto in_place = apart;
      in_place.in_place = {{0, 0}};
      for (const auto& device : host_devices()) {
        CAPTURE(device->kind(), apart.op->kind());
        CHECK(test::run(*device, in_place)[0].values == test::run(*device, apart)[0].values);
      }
    }
  }
}

TEST_CASE("statistics stay f32 and are computed from the rounded numbers") {
  const auto x = test::in_type(test::random_tensor({4, 16}, "x"), DType::bf16);
  const auto gamma = test::in_type(test::random_tensor({16}, "gamma"), DType::bf16);
  for (const auto& device : host_devices()) {
    const auto out = test::run(*device, {std::make_shared<graph::LayerNorm>(1e-5f), {x, gamma, gamma}, {}});
    CHECK(out[0].type.dtype == DType::bf16);
    CHECK(out[1].type.dtype == DType::f32);
    double sum = 0;
    for (std::size_t i = 0; i < 16; ++i) sum += x.values[i];
    CHECK(out[1].values[0] == Approx(sum / 16).epsilon(1e-5));
  }
}

TEST_CASE("the workspace has a part for each 16-bit operand, and that of the f32 kernel") {
  class Wide final : public kernels::Kernel {
   public:
    void launch(const kernels::Arguments& a) override {
      workspace = a.workspace;
      static_cast<float*>(a.outputs[0])[0] = static_cast<const float*>(a.inputs[0])[0] + 1;
    }
    std::size_t workspace_bytes() const override { return 100; }
    double flops() const override { return 7; }
    void* workspace = nullptr;
  };
  const kernels::Binding binding{{std::make_shared<graph::Add>()},
                                 {{{17}, DType::bf16}, {{3}, DType::f32}, {{16}, DType::f16}},
                                 {{{1}, DType::bf16}, {{1}, DType::i32}}};
  const auto wide_binding = kernels::widened(binding);
  for (const auto& type : wide_binding.inputs) CHECK(type.dtype == DType::f32);
  CHECK(wide_binding.outputs[0] == graph::TensorType{{1}, DType::f32});
  CHECK(wide_binding.outputs[1].dtype == DType::i32);

  auto owned = std::make_unique<Wide>();
  const Wide& wide = *owned;
  const auto kernel = kernels::widen(binding, std::move(owned), 1);
  CHECK(kernel->workspace_bytes() == 128 + 64 + 64 + 100);
  CHECK(kernel->flops() == 7);

  alignas(64) std::byte workspace[356];
  std::uint16_t first[17] = {0x4000}, third[16] = {}, result[1] = {};  // 2 in bf16
  float second[3] = {};
  std::int32_t other[1] = {};
  const void* inputs[] = {first, second, third};
  void* outputs[] = {result, other};
  kernel->launch({inputs, outputs, workspace, nullptr});
  CHECK(result[0] == 0x4040);  // 3
  CHECK(wide.workspace == workspace + 256);
}

TEST_CASE("a table widens only types that a factory does not support") {
  const auto seen = std::make_shared<std::vector<DType>>();
  const kernels::KernelFactory factory = [seen](const kernels::Binding& binding) {
    seen->push_back(binding.inputs[0].dtype);
    return kernels::make_kernel(binding, [](const kernels::Arguments&) {});
  };
  const auto bind = [&](int threads, kernels::Storage takes, DType dtype) {
    kernels::KernelTable table("device", threads);
    table.add("add", takes, factory);
    table.bind({{std::make_shared<graph::Add>()}, {{{4}, dtype}, {{4}, dtype}}, {{{4}, dtype}}});
    return seen->back();
  };
  using kernels::Storage;
  CHECK(bind(1, Storage::f32, DType::bf16) == DType::f32);
  CHECK(bind(1, Storage::f32, DType::f32) == DType::f32);
  CHECK(bind(1, Storage::f32_or_bf16, DType::bf16) == DType::bf16);
  CHECK(bind(1, Storage::f32_or_bf16, DType::f16) == DType::f32);
  CHECK(bind(1, Storage::any_float, DType::f16) == DType::f16);
  CHECK(bind(0, Storage::f32, DType::f16) == DType::f16);
}
