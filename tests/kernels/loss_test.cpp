#include "graph/ops/loss.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/error.h"
#include "catch.h"
#include "graph/ops/linear.h"
#include "harness.h"
#include "kernels/kernel_table.h"
#include "kernels/own/linear_cross_entropy.h"
#include "narrow.h"
#include "own/on_every_device.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

HostTensor rows_of(const HostTensor& tensor, std::int64_t begin, std::int64_t end) {
  const std::int64_t row = graph::elements(tensor.type.shape) / tensor.type.shape[0];
  HostTensor part = tensor;
  part.type.shape[0] = end - begin;
  part.values = {tensor.values.begin() + begin * row, tensor.values.begin() + end * row};
  return part;
}

}  // namespace

TEST_CASE("equal logits rank in order of class, for top-1 and top-5") {
  HostTensor scores = test::zeros({{4, 7}});
  const float last[] = {3, 2, 2, 1, 0, 2, 9};
  for (int c = 0; c < 7; ++c) scores.values[static_cast<std::size_t>(21 + c)] = last[c];
  // All equal: label 0 is the first, 4 the fifth, 5 the sixth. Of the last row 5 comes after 6, 0, 1 and 2.
  const auto right = test::labels({0, 4, 5, 5});
  for (const graph::OpPtr& op : std::vector<graph::OpPtr>{std::make_shared<graph::CrossEntropy>(),
                                                          std::make_shared<graph::MeanSquaredError>()}) {
    test::on_every_device([&](kernels::Device& device) {
      const auto metrics = test::run(device, {op, {scores, right}, {}});
      CHECK(metrics[1].values[0] == 1);
      CHECK(metrics[2].values[0] == 3);
    });
  }
}

TEST_CASE("shares of a batch add up to the loss, and their gradients are those of the batch") {
  const auto x = test::random_tensor({9, 6}, "x"), w = test::random_tensor({11, 6}, "w");
  const auto scores = test::random_tensor({9, 11}, "scores", -3, 3);
  const auto right = test::labels({0, 10, -1, 5, 5, 7, -1, 2, 9});
  struct Loss {
    graph::OpPtr op;
    std::vector<HostTensor> inputs;
    std::vector<bool> split;
    std::vector<int> summed;  ///< outputs that are sums over the batch; the others have its rows
  };
  const std::vector<Loss> losses{
      {std::make_shared<graph::CrossEntropy>(0.1f), {scores, right}, {true, true}, {0, 1, 2}},
      {std::make_shared<graph::CrossEntropyBackward>(0.1f), {scores, right}, {true, true}, {}},
      {std::make_shared<graph::MeanSquaredError>(), {scores, right}, {true, true}, {0, 1, 2}},
      {std::make_shared<graph::MeanSquaredErrorBackward>(), {scores, right}, {true, true}, {}},
      {std::make_shared<graph::LinearCrossEntropy>(0.1f), {x, w, right}, {true, false, true}, {0, 1, 2}},
      {std::make_shared<graph::LinearCrossEntropyAndGradients>(0.1f), {x, w, right}, {true, false, true}, {0, 1, 2, 4}},
  };
  for (const Loss& loss : losses) {
    CAPTURE(loss.op->kind());
    test::on_every_device([&](kernels::Device& device) {
      test::Run run{loss.op, loss.inputs, {}};
      run.scalars.inverse_count = 1.0f / 7;
      const auto whole = test::run(device, run);
      std::vector<std::vector<HostTensor>> parts;
      for (const auto& [begin, end] : {std::pair{0, 4}, {4, 4}, {4, 9}}) {
        for (std::size_t i = 0; i < run.inputs.size(); ++i)
          run.inputs[i] = loss.split[i] ? rows_of(loss.inputs[i], begin, end) : loss.inputs[i];
        parts.push_back(test::run(device, run));
      }
      for (std::size_t o = 0; o < whole.size(); ++o) {
        const bool summed = std::count(loss.summed.begin(), loss.summed.end(), static_cast<int>(o)) > 0;
        for (std::size_t e = 0; e < whole[o].values.size(); ++e) {
          const std::size_t first = parts[0][o].values.size();
          const float value = summed      ? parts[0][o].values[e] + parts[1][o].values[e] + parts[2][o].values[e]
                              : e < first ? parts[0][o].values[e]
                                          : parts[2][o].values[e - first];
          CHECK(value == Approx(whole[o].values[e]).margin(1e-6));
        }
      }
    });
  }
}

TEST_CASE("on a CPU, fused linear cross-entropy uses equal chunks of up to 64 MiB and at least 16 rows") {
  const auto rows_of_chunk = [](std::int64_t bytes_of_row, std::int64_t rows) {
    return kernels::rows_of_chunk(kernels::limits_of_processor(bytes_of_row), rows);
  };
  CHECK(rows_of_chunk(50257 * 4, 1024) == 256);
  CHECK(rows_of_chunk(50257 * 4, 8192) == 328);  // 25 chunks, the last of 320
  CHECK(rows_of_chunk(50257 * 4, 333) == 333);
  CHECK(rows_of_chunk(50257 * 4, 334) == 167);
  CHECK(rows_of_chunk(50257 * 4, 100) == 100);
  CHECK(rows_of_chunk(std::int64_t{8} << 20, 8192) == 16);
  CHECK(rows_of_chunk(40, 0) == 0);
}

TEST_CASE("on a GPU, a chunk of fused linear cross-entropy has one tile per multiprocessor, up to 512 MiB") {
  const auto rows_of_chunk = [](int multiprocessors, std::int64_t hidden, std::int64_t bytes_of_row,
                                std::int64_t rows) {
    return kernels::rows_of_chunk(kernels::limits_of_gpu(multiprocessors, hidden, bytes_of_row), rows);
  };
  CHECK(rows_of_chunk(132, 768, 50304 * 2, 1 << 20) == 2816);  // 22 × 6 tiles
  CHECK(rows_of_chunk(132, 768, 50304 * 2, 8192) == 2816);     // 3 chunks, the last of 2560
  CHECK(rows_of_chunk(132, 768, 50304 * 2, 2900) == 1536);     // 2 chunks, the last of 1364
  CHECK(rows_of_chunk(132, 768, 50304 * 2, 2000) == 2000);
  CHECK(rows_of_chunk(132, 768, 50304 * 4, 1 << 20) == 2560);  // 2668 rows are 512 MiB
  CHECK(rows_of_chunk(132, 130, 100, 1 << 20) == 66 * 128);    // 66 × 2 tiles
  CHECK(rows_of_chunk(132, 0, 100, 2 * 132 * 128) == 132 * 128);
  CHECK(rows_of_chunk(132, 768, std::int64_t{8} << 20, 8192) == 128);
  CHECK(rows_of_chunk(132, 768, 40, 0) == 0);
}

TEST_CASE("products of fused linear cross-entropy are bound for the alignment of chunks") {
  struct NoRows final : kernels::LogitRows {
    std::size_t bytes_of_row() const override { return 0; }
    void check(const std::int32_t*, const kernels::ClassSizes&) const override {}
    void measure(const void*, const std::int32_t*, const kernels::ClassSizes&, void*) const override {}
    void write(const kernels::Arguments&, const void*, std::int64_t, bool) const override {}
    void differentiate(const graph::Scalars*, void*, const std::int32_t*, const kernels::ClassSizes&, void*,
                       void*) const override {}
    void round(const float*, graph::DType, void*, std::int64_t, bool) const override {}
    kernels::RowLimits limits(const kernels::LinearCrossEntropySizes&, std::int64_t bytes_of_row) const override {
      return kernels::limits_of_processor(bytes_of_row);
    }
  };
  constexpr std::int64_t rows = 40, hidden = 3, classes = 1 << 21;
  // Chunks begin at multiples of 14 * 3 * 4 = 8 * 21 bytes.
  REQUIRE(kernels::rows_of_chunk(kernels::limits_of_processor(classes * 4), rows) == 14);
  const graph::TensorType x{{rows, hidden}}, w{{classes, hidden}}, labels{{rows}, graph::DType::i32};
  kernels::Binding head{{std::make_shared<graph::LinearCrossEntropyAndGradients>()}, {x, w, labels}, {}};
  head.outputs = head.op->infer(head.inputs);
  head.input_alignments = {16, 4, 16};
  head.output_alignments = {16, 16, 16, 16, 2};
  std::map<std::string, std::string> bound;
  const auto bind = [&](const kernels::Binding& product) {
    bound[std::string(product.op->kind())] = kernels::describe_alignment(product);
    return kernels::make_kernel(product, [](const kernels::Arguments&) {});
  };
  kernels::make_linear_cross_entropy(head, bind, std::make_unique<NoRows>());
  CHECK(bound["linear"] == " aligned (8, 4) -> (16)");
  CHECK(bound["linear_backward_input"] == " aligned (16, 4) -> (8)");
  CHECK(bound["linear_backward_weight"] == " aligned (8, 16) -> (2)");
}

TEST_CASE("fused linear cross-entropy in several chunks equals that in one chunk") {
  constexpr int rows = 58, hidden = 3, classes = 600000;  // two chunks and a rest
  REQUIRE(kernels::rows_of_chunk(kernels::limits_of_processor(classes * 4), rows) == 20);
  const auto x = test::random_tensor({rows, hidden}, "x"), w = test::random_tensor({classes, hidden}, "w");
  std::vector<int> of_rows;
  for (int i = 0; i < rows; ++i) of_rows.push_back(i % 9 == 8 ? -1 : i * 3001);
  const auto right = test::labels(of_rows);
  const auto device = test::device("cpu", 2);
  const auto logits =
      test::run(*device, {std::make_shared<graph::Linear>(false, graph::Activation::none), {x, w}, {}})[0];
  const auto loss = test::run(*device, {std::make_shared<graph::LinearCrossEntropy>(), {x, w, right}, {}});
  const auto plain = test::run(*device, {std::make_shared<graph::CrossEntropy>(), {logits, right}, {}});
  for (std::size_t o = 0; o < 3; ++o) CHECK(loss[o].values[0] == Approx(plain[o].values[0]).epsilon(1e-5));
  const auto slope = test::run(*device, {std::make_shared<graph::CrossEntropyBackward>(), {logits, right}, {}})[0];
  const auto all = test::run(*device, {std::make_shared<graph::LinearCrossEntropyAndGradients>(), {x, w, right}, {}});
  for (std::size_t o = 0; o < 3; ++o) CHECK(all[o].values[0] == Approx(plain[o].values[0]).epsilon(1e-5));
  const auto dx = test::run(*device, {std::make_shared<graph::LinearBackwardInput>(), {slope, w}, {}})[0];
  CHECK(test::largest_error(all[3], dx, 1.0) < 1e-5);
  const auto dw = test::run(*device, {std::make_shared<graph::LinearBackwardWeight>(false), {x, slope}, {}})[0];
  CHECK(test::largest_error(all[4], dw, 1.0) < 1e-5);
}

TEST_CASE("on a GPU, fused linear cross-entropy in several chunks equals the reference") {
  constexpr int rows = 300, hidden = 128, classes = 37;  // two chunks and a rest
  REQUIRE(kernels::rows_of_chunk(kernels::limits_of_gpu(1, hidden, classes * 4), rows) == 128);
  std::vector<int> of_rows;
  for (int i = 0; i < rows; ++i) of_rows.push_back(i % 9 == 8 ? -1 : i % classes);
  const auto x = test::random_tensor({rows, hidden}, "x"), w = test::random_tensor({classes, hidden}, "w");
  const auto oracle = test::device("reference");
  test::OwnDevice own(1);
  for (const auto& op : std::vector<graph::OpPtr>{std::make_shared<graph::LinearCrossEntropy>(0.1f),
                                                  std::make_shared<graph::LinearCrossEntropyAndGradients>(0.1f)}) {
    CAPTURE(op->kind());
    test::Run run{op, {x, w, test::labels(of_rows)}, {}};
    run.scalars.inverse_count = 1.0f / rows;
    test::check_close(test::run(own, run), test::run(*oracle, run), test::tolerance(rows));
  }
}

TEST_CASE("on a GPU, the row stride of logits is a multiple of 128 bytes, and nothing else is padded") {
  using graph::DType;
  const auto op = std::make_shared<graph::LinearCrossEntropyAndGradients>();
  std::vector<test::HostLauncher::Launch> launches;
  for (const auto& [dtype, row] :
       std::vector<std::pair<DType, std::int64_t>>{{DType::f32, 50272}, {DType::bf16, 50304}, {DType::f16, 50304}}) {
    CAPTURE(graph::name(dtype));
    const std::vector<graph::TensorType> inputs{{{8192, 768}, dtype}, {{50257, 768}, dtype}, {{8192}, DType::i32}};
    std::vector<kernels::Binding> products;
    const auto bind = [&](const kernels::Binding& product) -> std::unique_ptr<kernels::Kernel> {
      products.push_back(product);
      return nullptr;
    };
    kernels::own::bind_linear_cross_entropy({{op}, inputs, op->infer(inputs)}, test::HostLauncher(132, launches), bind);
    REQUIRE(products.size() >= 4);
    for (const auto& product : products) {
      const auto dense = kernels::without_padding(product);
      CHECK(dense.op->infer(dense.inputs)[0].shape == dense.outputs[0].shape);
      const auto kind = product.op->kind();
      const auto& logits = kind == "linear"                  ? product.outputs[0]
                           : kind == "linear_backward_input" ? product.inputs[0]
                                                             : product.inputs[1];
      CHECK(logits.shape.back() == row);
    }
  }
}

/// All rows are of class 1, and all classes alike, so that the gradient of the label's logit is `slope`, without
/// rounding. Chunks, the first of which begin at rows 0, `second` and `third`, add 256, 1 and 1 to its weight: rounded
/// each time, that would stay 256.
void check_rounded_once(kernels::Device& device, int rows, int hidden, int classes, float slope, int second,
                        int third) {
  const auto in_bf16 = [](const HostTensor& tensor) { return test::in_type(tensor, graph::DType::bf16); };
  const auto weight_of_label = static_cast<std::size_t>(hidden);
  for (const bool adds : {false, true}) {
    CAPTURE(adds);
    HostTensor x = test::zeros({{rows, hidden}}), dw = test::zeros({{classes, hidden}});
    const auto first_feature = [&](int row) -> float& { return x.values[static_cast<std::size_t>(row * hidden)]; };
    first_feature(second) = first_feature(third) = -1 / slope;
    if (adds)
      dw.values[weight_of_label] = -256;
    else
      first_feature(0) = -256 / slope;
    const std::vector<HostTensor> inputs{in_bf16(x), in_bf16(test::zeros(dw.type)),
                                         test::labels(std::vector<int>(static_cast<std::size_t>(rows), 1))};
    test::Run all{std::make_shared<graph::LinearCrossEntropyAndGradients>(), inputs, {}, adds, {}};
    if (adds) {
      all.initial_outputs = {test::zeros({{1}}), test::zeros({{1}}), test::zeros({{1}}), inputs[0], in_bf16(dw)};
      all.written = {3};
    }
    const auto made = test::run(device, all);
    CHECK(made[4].values[weight_of_label] == -258);
    CHECK(made[0].values[0] == Approx(rows * std::log(classes)));
    CHECK(std::all_of(made[3].values.begin(), made[3].values.end(), [](float dx) { return dx == 0; }));
  }
}

TEST_CASE("fused linear cross-entropy of 16-bit operands in several chunks rounds its weight gradient once") {
  check_rounded_once(*test::device("cpu", 2), 58, 1, 600000, -1, 20, 40);  // a probability that is nothing beside 1
  test::OwnDevice own(1);
  check_rounded_once(own, 300, 128, 2, -0.5f, 128, 256);
}

TEST_CASE("fused linear cross-entropy can accumulate into some outputs and overwrite others") {
  const auto x = test::random_tensor({9, 6}, "x"), w = test::random_tensor({11, 6}, "w");
  const auto right = test::labels({0, 10, -1, 5, 5, 7, -1, 2, 9});
  const auto op = std::make_shared<graph::LinearCrossEntropyAndGradients>(0.1f);
  std::vector<HostTensor> initial;
  for (const auto& type : op->infer(std::vector{x.type, w.type, right.type}))
    initial.push_back(test::random_tensor(type.shape, "initial"));
  test::on_every_device([&](kernels::Device& device) {
    const auto made = test::run(device, {op, {x, w, right}, {}});
    for (const std::vector<int>& written : std::vector<std::vector<int>>{{3}, {3, 4}, {4}, {0, 1, 2}, {0, 1, 2, 3}}) {
      test::Run run{op, {x, w, right}, {}, true, initial};
      run.written = written;
      const auto actual = test::run(device, run);
      for (std::size_t o = 0; o < made.size(); ++o) {
        const bool adds = std::count(written.begin(), written.end(), static_cast<int>(o)) == 0;
        CAPTURE(o, adds);
        for (std::size_t e = 0; e < made[o].values.size(); ++e)
          CHECK(actual[o].values[e] == Approx(made[o].values[e] + (adds ? initial[o].values[e] : 0)).margin(1e-6));
      }
    }
    test::Run torn{op, {x, w, right}, {}, true, initial};
    torn.written = {1};
    CHECK_THROWS_AS(test::run(device, torn), InputError);
    test::Run plain{std::make_shared<graph::LinearCrossEntropy>(), {x, w, right}, {}, true, {}};
    plain.initial_outputs = {initial.begin(), initial.begin() + 3};
    plain.written = {0};
    CHECK_THROWS_AS(test::run(device, plain), ContractError);
  });
}

TEST_CASE("fused linear cross-entropy rejects a weight that does not match its input") {
  const graph::LinearCrossEntropy op;
  const graph::TensorType x{{4, 6}}, w{{11, 6}}, right{{4}, graph::DType::i32};
  const auto infer = [&](const std::vector<graph::TensorType>& types) { return op.infer(types); };
  CHECK(infer({x, w, right}).size() == 3);
  CHECK_THROWS_AS(infer({x, {{11, 5}}, right}), InputError);
  CHECK_THROWS_AS(infer({x, {{11, 6}, graph::DType::bf16}, right}), InputError);
  CHECK_THROWS_AS(infer({x, w, {{5}, graph::DType::i32}}), InputError);
}
