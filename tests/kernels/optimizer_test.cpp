#include "optimizer_cases.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "catch.h"
#include "graph/ops/optimizer.h"
#include "own/on_every_device.h"

using namespace ddlbench;
using graph::Guard;
using graph::Optimizer;
using graph::OptimizerSettings;
using graph::UpdateSite;
using test::HostTensor;

namespace {

HostTensor numbers(std::vector<float> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {{{size}, graph::DType::f32}, std::move(values)};
}

/// Gradient i of step k of the seven elements on which others' numbers were taken.
HostTensor gradient_of(int k) {
  std::vector<float> values;
  for (int i = 0; i < 7; ++i)
    values.push_back(static_cast<float>((i * 3 + k * 5) % 7 - 3) * 0.25f + 0.125f * static_cast<float>(k));
  return numbers(values);
}

/// The weights after five steps from 0.5, −1.25, ….
std::vector<float> trained(kernels::Device& device, const Optimizer& optimizer, const UpdateSite& site) {
  const HostTensor start = numbers({0.5f, -1.25f, 2.0f, 0.0f, -0.75f, 1.5f, -2.5f});
  std::vector<HostTensor> kept{start};
  for (std::size_t s = 0; s < optimizer.states.size(); ++s) kept.push_back(test::zeros(start.type));
  for (int k = 0; k < 5; ++k) {
    graph::Scalars scalars;
    scalars.learning_rate = 0.1f;
    scalars.step = k;
    scalars.scaler.updates = static_cast<float>(k);
    const auto run = [&](const graph::OpPtr& op, const std::vector<HostTensor>& inputs) {
      test::Run what{op, inputs, {}};
      what.scalars = scalars;
      return test::run(device, what);
    };
    const HostTensor g = gradient_of(k);
    std::vector<HostTensor> squared_norm;
    if (optimizer.guard.any()) squared_norm = run(std::make_shared<graph::SquaredNorm>(), {g});
    std::vector<HostTensor> inputs{kept[0], g};
    inputs.insert(inputs.end(), kept.begin() + 1, kept.end());
    if (optimizer.measure) {
      auto measured = run(optimizer.measure(site), optimizer.measures_states ? inputs : std::vector{kept[0], g});
      for (std::size_t s = 0; s + 1 < measured.size(); ++s) inputs[2 + s] = measured[s];
      inputs.push_back(measured.back());
    }
    inputs.insert(inputs.end(), squared_norm.begin(), squared_norm.end());
    kept = run(optimizer.update(site), inputs);
  }
  return kept[0].values;
}

void check_numbers(const Optimizer& optimizer, const UpdateSite& site, const std::vector<float>& expected) {
  test::on_every_device([&](kernels::Device& device) {
    const auto actual = trained(device, optimizer, site);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      CHECK(actual[i] == Approx(expected[i]).margin(2e-6));
    }
  });
}

}  // namespace

// Of torch.optim 1.13 in f64, on the same start, gradients and settings.
TEST_CASE("optimizers compute PyTorch's numbers") {
  OptimizerSettings s;
  check_numbers(graph::sgd(s), {}, {0.375f, -1.4f, 1.825f, -0.025f, -0.975f, 1.425f, -2.6f});
  s.momentum = 0.9f;
  s.weight_decay = 0.01f;
  check_numbers(graph::sgd(s), {},
                {0.415998155f, -1.51929211f, 1.51051645f, 0.04214448f, -1.20791948f, 1.25005704f, -2.60714353f});
  s.nesterov = true;
  check_numbers(graph::sgd(s), {},
                {0.296421817f, -1.63576677f, 1.37630505f, 0.0123137321f, -1.38218757f, 1.19312843f, -2.68382322f});
  s = {};
  s.beta2 = 0.99f;
  s.weight_decay = 0.0625f;
  check_numbers(graph::adam(s), {},
                {0.521401999f, -1.19069635f, 1.60814855f, 0.154666766f, -1.06773457f, 1.39525643f, -2.48977997f});
  check_numbers(graph::adamw(s), {},
                {0.525505612f, -1.29267597f, 1.59040226f, 0.154568193f, -1.07110669f, 1.39659553f, -2.57412321f});
  s = {};
  s.momentum = 0.9f;
  s.guard.max_norm = 1;  // torch.nn.utils.clip_grad_norm_ before each step
  check_numbers(graph::sgd(s), {},
                {0.476284017f, -1.42382987f, 1.66288982f, 0.0545063354f, -1.05985096f, 1.3414892f, -2.58151476f});
}

// Of a program in f64 written from the formulas of the papers: two tensors of three, and one that is exempt.
TEST_CASE("optimizers with rates by layer compute the papers' numbers") {
  OptimizerSettings s;
  s.momentum = 0.9f;
  s.weight_decay = 0.01f;
  s.trust_coefficient = 0.02f;
  check_numbers(graph::lars(s), test::small_site(),
                {0.495809229f, -1.2623668f, 1.97924606f, 0.00189566605f, -0.766574022f, 1.49464655f, -2.64014f});
  s = {};
  s.beta2 = 0.99f;
  s.epsilon = 1e-6f;
  s.weight_decay = 0.1f;
  check_numbers(graph::lamb(s), test::small_site(),
                {0.475857699f, -1.37915878f, 1.16596515f, 0.14631916f, -1.24927194f, 1.13865858f, -2.65385731f});
}

TEST_CASE("a norm that is not finite skips the step wherever a guard says so") {
  constexpr float infinite = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float norm : {infinite, nan}) {
    for (auto run : test::optimizer_runs(test::small_site(), Guard{1, true}, 7, norm)) {
      if (run.op->kind() == "tensor_norms") continue;
      run.inputs[1].values[3] = norm;
      CAPTURE(run.op->kind(), norm);
      test::on_every_device([&](kernels::Device& device) {
        const auto skipped = test::run(device, run);
        const bool measures = run.op->kind() == "lamb_measure";
        if (!measures) CHECK(skipped[0].values == run.inputs[0].values);
        const std::size_t first = measures ? 0 : 1;
        for (std::size_t o = first; o < 2 + first && o + (measures ? 1 : 0) < skipped.size(); ++o)
          CHECK(skipped[o].values == run.inputs[2 + o - first].values);
        for (const float value : skipped.back().values) CHECK(std::isfinite(value));
      });
    }
  }
}

TEST_CASE("a norm that is not finite skips no step without a guard") {
  for (const auto& run : test::optimizer_runs({}, Guard{1, false}, 7, std::numeric_limits<float>::quiet_NaN())) {
    test::on_every_device([&](kernels::Device& device) {
      const auto made = test::run(device, run);
      for (const float value : made[0].values) CHECK(std::isnan(value));
    });
  }
}

TEST_CASE("16-bit parameters are the rounded masters, also after a skipped step") {
  for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
    for (const float norm : {3.0f, std::numeric_limits<float>::infinity()}) {
      auto site = test::small_site();
      site.working = dtype;
      for (const auto& run : test::optimizer_runs(site, Guard{1, true}, 7, norm)) {
        CAPTURE(run.op->kind(), graph::name(dtype), norm);
        test::on_every_device([&](kernels::Device& device) {
          const auto made = test::run(device, run);
          REQUIRE(made.back().type.dtype == dtype);
          CHECK(made.back().bytes() == HostTensor{made.back().type, made[0].values}.bytes());
        });
      }
    }
  }
}

TEST_CASE("updates of two halves of a view, each with its tensors, equal that of the whole") {
  constexpr std::int64_t size = 53, cut = 21;
  UpdateSite whole;
  whole.tensors = 3;
  whole.segments = {{0, 13, 0, false}, {13, 30, 1, false}, {30, 53, 2, true}};
  UpdateSite front = whole, back = whole;
  front.segments = {{0, 13, 0, false}, {13, 21, 1, false}};
  back.segments = {{0, 9, 1, false}, {9, 32, 2, true}};
  const auto wholes = test::optimizer_runs(whole, {}, size, 0);
  const auto fronts = test::optimizer_runs(front, {}, size, 0), backs = test::optimizer_runs(back, {}, size, 0);
  const auto part = [](test::Run run, const graph::OpPtr& op, std::int64_t begin, std::int64_t end) {
    run.op = op;
    for (auto& tensor : run.inputs) {
      if (tensor.type.shape != graph::Shape{size}) continue;
      tensor.values = {tensor.values.begin() + begin, tensor.values.begin() + end};
      tensor.type.shape = {end - begin};
    }
    return run;
  };
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    CAPTURE(wholes[i].op->kind());
    test::on_every_device([&](kernels::Device& device) {
      const auto all = test::run(device, wholes[i]);
      const auto a = test::run(device, part(wholes[i], fronts[i].op, 0, cut));
      const auto b = test::run(device, part(wholes[i], backs[i].op, cut, size));
      for (std::size_t o = 0; o < all.size(); ++o) {
        if (all[o].type.shape == graph::Shape{3, 2}) {
          for (std::size_t e = 0; e < 6; ++e) CHECK(a[o].values[e] + b[o].values[e] == Approx(all[o].values[e]));
          continue;
        }
        auto joined = a[o].values;
        joined.insert(joined.end(), b[o].values.begin(), b[o].values.end());
        CHECK(joined == all[o].values);
      }
    });
  }
}

TEST_CASE("norms have the same bits on any number of threads") {
  for (const auto& one : test::optimizer_cases()) {
    const auto kind = one.run.op->kind();
    if (kind != "tensor_norms" && kind != "lamb_measure" && kind != "squared_norm") continue;
    const auto one_thread = test::device("cpu", 1), threads = test::device("cpu", 3);
    const auto a = test::run(*one_thread, one.run), b = test::run(*threads, one.run);
    for (std::size_t o = 0; o < a.size(); ++o) CHECK(a[o].values == b[o].values);
  }
}

TEST_CASE("a site that does not match its view is rejected") {
  const auto device = test::device("cpu");
  const auto bind = [&](const UpdateSite& site) {
    OptimizerSettings s;
    const graph::TensorType flat{{7}}, rows{{site.tensors, 2}};
    device->bind({{graph::lars(s).update(site)}, {flat, flat, flat, rows}, {flat, flat}});
  };
  CHECK_NOTHROW(bind(test::small_site()));
  auto gap = test::small_site(), shorter = gap, twice = gap, beyond = gap;
  gap.segments[1].begin = 4;
  shorter.segments.pop_back();
  twice.segments[1].tensor = 0;
  beyond.segments[1].tensor = 3;
  for (const UpdateSite& site : {gap, shorter, twice, beyond, UpdateSite{}}) CHECK_THROWS_AS(bind(site), InputError);
}

TEST_CASE("nesterov without momentum is rejected") {
  OptimizerSettings s;
  s.nesterov = true;
  CHECK_THROWS_AS(graph::sgd(s), InputError);
}
