#include "norm_cases.h"

#include <algorithm>

#include "graph/ops/batch_norm.h"
#include "graph/ops/cast.h"
#include "graph/ops/dropout.h"
#include "graph/ops/normalise.h"

namespace ddlbench::test {
namespace {

using graph::Activation;
using graph::BatchNormAttributes;

class NormCases {
 public:
  void add(const graph::OpPtr& op, std::vector<HostTensor> inputs, double terms) {
    Run run{op, std::move(inputs), {}};
    run.scalars.step = 7;
    run.scalars.seed = 17;
    all_.push_back({std::string(op->kind()) + " " + op->attributes(), std::move(run), terms});
  }
  /// Also as an addition to what lies in the outputs.
  void add_both(const graph::OpPtr& op, const std::vector<HostTensor>& inputs, double terms) {
    add(op, inputs, terms);
    all_.push_back(added(all_.back()));
  }
  std::vector<OpCase> take() { return std::move(all_); }

 private:
  std::vector<OpCase> all_;
};

/// Moments are those of x, or of three values where no sample is here: other shards then have some.
void add_batch_norms(NormCases& cases) {
  const auto oracle = device("reference");
  struct Batch {
    graph::Shape x;
    std::int64_t samples;
  };
  for (const auto& [shape, samples] :
       {Batch{{1, 3}, 0}, Batch{{1, 3, 1, 1}, 0}, Batch{{4, 3}, 1}, Batch{{2, 5, 1, 1}, 0}, Batch{{6, 7}, 3},
        Batch{{64, 6}, 0}, Batch{{40, 130}, 20}, Batch{{4, 3, 5, 5}, 0}, Batch{{4, 3, 5, 5}, 2}, Batch{{3, 9, 7, 7}, 1},
        Batch{{6, 2, 12, 12}, 3}, Batch{{2, 4, 40, 10}, 0}, Batch{{3, 2, 33}, 0}, Batch{{0, 3, 4, 4}, 0},
        Batch{{0, 3}, 2}, Batch{{5003, 8}, 0}, Batch{{2600, 16}, 1300}, Batch{{300, 264}, 0}}) {
    const auto x = random_tensor(shape, "x"), dz = random_tensor(shape, "dz"), residual = random_tensor(shape, "r");
    const std::int64_t channels = shape[1];
    const auto gamma = random_tensor({channels}, "gamma"), beta = random_tensor({channels}, "beta");
    const auto of_x = std::make_shared<graph::BatchMoments>(samples);
    const double count = static_cast<double>(graph::elements(shape)) + 1;
    cases.add(of_x, {x}, count);
    auto moments = run(*oracle, {of_x, {x}, {}})[0];
    if (shape[0] == 0 && samples == 0) std::fill(moments.values.begin(), moments.values.end(), 3.0f);
    // A small variance magnifies what x is rounded by: an epsilon of 1e-3 bounds that to 32 times.
    const BatchNormAttributes norm{samples, 1e-3f};
    const double terms = std::max(count, 128.0);
    for (const auto f : {Activation::none, Activation::relu}) {
      cases.add(std::make_shared<graph::BatchNorm>(norm, false, f), {x, moments, gamma, beta}, terms);
      cases.add(std::make_shared<graph::BatchNorm>(norm, true, f), {x, moments, gamma, beta, residual}, terms);
      const auto mean = random_tensor({channels}, "mean"), variance = random_tensor({channels}, "variance", 0.5f, 2);
      cases.add(std::make_shared<graph::BatchNormInference>(1e-3f, false, f), {x, gamma, beta, mean, variance}, 8);
      cases.add(std::make_shared<graph::BatchNormInference>(1e-3f, true, f), {x, gamma, beta, mean, variance, residual},
                8);
    }
    const auto backward_moments = std::make_shared<graph::BatchNormBackwardMoments>(norm, false, Activation::none);
    cases.add(backward_moments, {dz, x, moments}, terms);
    const auto sums = run(*oracle, {backward_moments, {dz, x, moments}, {}})[0];
    cases.add(std::make_shared<graph::BatchNormBackwardMoments>(norm, false, Activation::relu),
              {dz, x, moments, gamma, beta}, terms);
    cases.add(std::make_shared<graph::BatchNormBackwardMoments>(norm, true, Activation::relu),
              {dz, x, moments, residual}, terms);  // any y has the signs that are asked for
    cases.add_both(std::make_shared<graph::BatchNormBackwardInput>(norm, Activation::none),
                   {dz, x, moments, sums, gamma}, terms);
    cases.add_both(std::make_shared<graph::BatchNormBackwardInput>(norm, Activation::relu),
                   {dz, x, moments, sums, gamma, beta}, terms);
    cases.add_both(std::make_shared<graph::BatchNormBackwardWeight>(graph::DType::f32), {sums}, terms);
    cases.add(std::make_shared<graph::CombineMoments>(), {moments}, 64);
    if (graph::elements(moments.type.shape) > 0)
      cases.add_both(std::make_shared<graph::ObserveMoments>(), {moments}, 64);
  }
  for (const std::int64_t size : {0, 1, 37, 100000}) {
    const auto statistic = random_tensor({size}, "statistic"), observed = random_tensor({size}, "observed");
    cases.add(std::make_shared<graph::StatisticUpdate>(0.1f, 0.25), {statistic, observed}, 3);
  }
}

void add_dropouts(NormCases& cases) {
  struct Part {
    graph::Shape x;
    graph::DropoutPart part = {};
  };
  for (const auto& [shape, part] :
       {Part{{1, 1}}, Part{{4}}, Part{{3, 10}}, Part{{2, 3, 5, 7}}, Part{{5, 1000}}, Part{{2, 4, 64}}, Part{{0, 8}},
        Part{{3, 5}, {1, 3, 11}}, Part{{2, 3, 4}, {2, 5, 9}}, Part{{2, 2, 3, 3}, {1, 1, 4}},
        Part{{2, 3, 8, 8}, {3, 8, 16}}, Part{{2, 3, 16}, {2, 4, 24}}, Part{{2, 4, 3}, {1, 4, 8}},
        Part{{2, 0}, {1, 4, 8}}}) {
    std::vector<int> samples;
    for (int n = 0; n < static_cast<int>(shape[0]); ++n) samples.push_back(n * 1000003 % 2000000011);
    const auto x = random_tensor(shape, "x");
    for (const float rate : {0.0f, 0.1f, 0.5f}) {
      cases.add_both(std::make_shared<graph::Dropout>(rate, "block.drop", part), {x, labels(samples, {shape[0]})}, 3);
    }
  }
}

void add_casts(NormCases& cases) {
  using graph::DType;
  for (const std::int64_t size : {0, 1, 37, 1000}) {
    for (const auto from : {DType::f32, DType::bf16, DType::f16}) {
      const auto x = random_tensor({size}, "x", -100, 100);
      const graph::TensorType type{{size}, from};
      const HostTensor narrow{type, x.values};
      for (const auto to : {DType::f32, DType::bf16, DType::f16}) {
        cases.add_both(std::make_shared<graph::Cast>(to), {HostTensor::from_bytes(type, narrow.bytes())}, 0);
      }
    }
  }
}

/// Every byte of every channel, in planes of whole vectors and not.
void add_bytes(NormCases& cases) {
  using graph::DType, graph::Normalisation;
  const Normalisation of_channels{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
  const Normalisation of_all{{0.286}, {0.353}, Normalisation::Arithmetic::f64};
  for (const graph::Shape& shape : {graph::Shape{2, 3, 8, 16},
                                    {1, 3, 7, 7},
                                    {3, 3, 20, 20},
                                    {2, 1, 9, 9},
                                    {5, 67},
                                    {1, 1},
                                    {0, 3, 8, 8},
                                    {2, 3, 150, 200}}) {
    HostTensor x = random_tensor(shape, "bytes", 0, 256);
    x.type.dtype = DType::u8;
    x = HostTensor::from_bytes(x.type, x.bytes());
    for (const DType to : {DType::f32, DType::bf16, DType::f16}) {
      cases.add(std::make_shared<graph::Normalise>(of_all, to), {x}, 0);
      if (shape[1] == 3) cases.add(std::make_shared<graph::Normalise>(of_channels, to), {x}, 0);
    }
  }
}

/// The tensor seen around a dimension.
struct Around {
  std::int64_t outer = 1, size = 0, inner = 1;

  Around(const graph::Shape& shape, int dimension) {
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
      const std::int64_t extent = shape[static_cast<std::size_t>(d)];
      if (d < dimension) outer *= extent;
      if (d == dimension) size = extent;
      if (d > dimension) inner *= extent;
    }
  }
};

}  // namespace

HostTensor part_of(const HostTensor& tensor, int dimension, std::int64_t begin, std::int64_t end) {
  const Around z(tensor.type.shape, dimension);
  HostTensor part{tensor.type, {}};
  part.type.shape[static_cast<std::size_t>(dimension)] = end - begin;
  for (std::int64_t o = 0; o < z.outer; ++o) {
    const auto first = tensor.values.begin() + o * z.size * z.inner;
    part.values.insert(part.values.end(), first + begin * z.inner, first + end * z.inner);
  }
  return part;
}

HostTensor joined(const std::vector<HostTensor>& parts, int dimension) {
  HostTensor whole{parts[0].type, {}};
  const auto at = static_cast<std::size_t>(dimension);
  whole.type.shape[at] = 0;
  for (const auto& part : parts) whole.type.shape[at] += part.type.shape[at];
  const Around z(whole.type.shape, dimension);
  for (std::int64_t o = 0; o < z.outer; ++o) {
    for (const auto& part : parts) {
      const std::int64_t run = part.type.shape[at] * z.inner;
      whole.values.insert(whole.values.end(), part.values.begin() + o * run, part.values.begin() + (o + 1) * run);
    }
  }
  return whole;
}

bool is_statistic(std::string_view op_kind, std::size_t index) {
  if (op_kind == "batch_norm") return index == 1;
  if (op_kind == "batch_norm_inference") return index == 3 || index == 4;
  if (op_kind == "batch_norm_backward_moments") return index == 2;
  if (op_kind == "batch_norm_backward_input") return index == 2 || index == 3;
  return op_kind == "batch_norm_backward_weight";
}

std::vector<OpCase> norm_cases() {
  NormCases cases;
  add_batch_norms(cases);
  add_dropouts(cases);
  add_casts(cases);
  add_bytes(cases);
  return cases.take();
}

}  // namespace ddlbench::test
