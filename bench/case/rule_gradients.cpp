#include "bench/case/rule_gradients.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/error.h"
#include "bench/case/run_op.h"
#include "graph/ops/codec.h"
#include "graph/tensor.h"

namespace ddlbench::bench {
namespace {

const std::vector<program::BucketRule>& buckets_of(const program::UpdateRule& rule, std::int64_t step) {
  return rule.of(step).buckets;
}

void require_covered(const program::UpdateRule& rule, const runtime::Tensors& gradients) {
  std::map<std::string, std::vector<char>> covered;
  for (const auto& [name, values] : gradients) covered[name].resize(values.size());
  for (const program::BucketRule& bucket : buckets_of(rule, 0))
    for (const program::GradientElements& part : bucket.parts)
      for (std::int64_t i = part.elements.begin; i < part.elements.end; ++i) {
        char& count = covered.at(part.tensor).at(static_cast<std::size_t>(i));
        require(count == 0, "the rule has element {} of '{}' twice", i, part.tensor);
        count = 1;
      }
  for (const auto& [name, counts] : covered)
    for (const char count : counts) require(count == 1, "the rule lacks elements of '{}'", name);
}

}  // namespace

RuleGradients::RuleGradients(const program::UpdateRule& rule, graph::DType dtype)
    : rule_(rule),
      dtype_(dtype),
      device_(kernels::make_device("reference", {1})),
      sums_(buckets_of(rule, 0).size()),
      residuals_(sums_.size()),
      velocities_(sums_.size()) {
  for (const program::BucketRule& bucket : buckets_of(rule, 0))
    approximated_.push_back(bucket.low_rank ? std::make_unique<ReplayedLowRank>(*bucket.low_rank, *device_) : nullptr);
}

void RuleGradients::add(const runtime::Tensors& gradients, graph::Scalars scalars) {
  if (!is_covered_) require_covered(rule_, gradients);
  is_covered_ = true;
  scalars.rank = static_cast<std::int64_t>(part_) % rule_.ranks;
  const std::vector<program::BucketRule>& buckets = buckets_of(rule_, scalars.step);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const program::BucketRule& bucket = buckets[b];
    Values values;
    for (const auto& [tensor, elements] : bucket.parts) {
      const std::vector<float>& all = gradients.at(tensor);
      values.insert(values.end(), all.begin() + elements.begin, all.begin() + elements.end);
    }
    if (approximated_[b]) {
      approximated_[b]->add(part_, tensor_of(values, dtype_), scalars);
      continue;
    }
    if (residuals_[b].size() == part_) residuals_[b].emplace_back(), velocities_[b].emplace_back(values.size());
    Values &residual = residuals_[b][part_], &velocity = velocities_[b][part_];
    if (bucket.momentum > 0) {
      const auto momentum = static_cast<float>(bucket.momentum);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = velocity[i] = momentum * velocity[i] + values[i];
    }
    if (bucket.encode) values = coded(bucket, false, values, scalars, &residual);
    if (bucket.momentum > 0)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (residual[i] == 0) velocity[i] = 0;
    sums_[b].resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums_[b][i] += values[i];
  }
  ++part_;
}

runtime::Tensors RuleGradients::take(const graph::Scalars& scalars) {
  runtime::Tensors gradients;
  const std::vector<program::BucketRule>& buckets = buckets_of(rule_, scalars.step);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const program::BucketRule& bucket = buckets[b];
    Values sum = approximated_[b] ? approximated_[b]->take(scalars) : std::exchange(sums_[b], {});
    if (bucket.encode_sum) sum = coded(bucket, true, sum, scalars, nullptr);
    auto next = sum.begin();
    for (const auto& [tensor, elements] : bucket.parts) {
      std::vector<float>& all = gradients[tensor];
      all.resize(std::max(all.size(), static_cast<std::size_t>(elements.end)));
      std::copy(next, next + elements.size(), all.begin() + elements.begin);
      next += elements.size();
    }
  }
  part_ = 0;
  return gradients;
}

RuleGradients::Values RuleGradients::coded(const program::BucketRule& bucket, bool is_sum, const Values& values,
                                           const graph::Scalars& scalars, Values* residual) {
  const graph::OpPtr& encode = is_sum ? bucket.encode_sum : bucket.encode;
  const graph::OpPtr& decode = is_sum ? bucket.decode_sum : bucket.decode;
  std::vector<HostTensor> inputs{tensor_of(values, is_sum ? graph::DType::f32 : dtype_)};
  const auto* const codec = dynamic_cast<const graph::Encode*>(encode.get());
  const bool has_residual = codec != nullptr && codec->feedback;
  if (has_residual) {
    residual->resize(values.size());
    inputs.push_back(tensor_of(*residual, graph::DType::f32));
  }
  const std::vector<HostTensor> encoded = run_op(*device_, encode, inputs, scalars);
  if (has_residual) *residual = floats_of(encoded.at(1));
  return floats_of(run_op(*device_, decode, {encoded.front()}, scalars).front());
}

}  // namespace ddlbench::bench
