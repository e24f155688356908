#include "bench/case/replayed_low_rank.h"

#include <algorithm>
#include <utility>

#include "runtime/draw.h"

namespace ddlbench::bench {
namespace {

void add_to(std::vector<float>& sum, const std::vector<float>& more) {
  sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

}  // namespace

HostTensor ReplayedLowRank::initial_q(std::uint64_t seed) const {
  std::vector<float> q;
  for (const program::StateShard& factor : rule_.factors) {
    const std::int64_t size = graph::elements(factor.whole.shape);
    const std::size_t begin = q.size();
    q.resize(begin + static_cast<std::size_t>(size));
    runtime::draw({&factor, {0, size}, {}, 0}, seed, q.data() + begin);
  }
  return tensor_of(q, graph::DType::f32);
}

void ReplayedLowRank::add(std::size_t part, const HostTensor& gradient, const graph::Scalars& scalars) {
  if (!q_) q_ = initial_q(scalars.seed);
  const graph::LowRankLayout& layout = rule_.layout;
  if (of_parts_.size() == part)
    of_parts_.push_back(tensor_of(std::vector<float>(static_cast<std::size_t>(layout.elements)), graph::DType::f32));
  std::vector<HostTensor> made =
      run_op(device_, std::make_shared<graph::LowRankProject>(layout), {gradient, of_parts_.at(part), *q_}, scalars);
  add_to(sums_, floats_of(made.at(0)));
  of_parts_[part] = std::move(made.at(1));
  parts_ = part + 1;
}

std::vector<float> ReplayedLowRank::take(const graph::Scalars& scalars) {
  const graph::LowRankLayout& layout = rule_.layout;
  const auto ranks = static_cast<int>(parts_);
  std::vector<float> sums = std::exchange(sums_, {});
  const auto end_of_p = sums.begin() + layout.p_elements();
  const HostTensor p = run_op(device_, std::make_shared<graph::LowRankOrthogonalise>(layout),
                              {tensor_of({sums.begin(), end_of_p}, graph::DType::f32)}, scalars)
                           .front();
  const std::vector<float> columns = floats_of(p);
  std::copy(columns.begin(), columns.end(), sums.begin());
  std::vector<float> q;
  const auto back = std::make_shared<graph::LowRankProjectBack>(layout, ranks);
  for (std::size_t part = 0; part < parts_; ++part)
    add_to(q, floats_of(run_op(device_, back, {of_parts_[part], p, *q_}, scalars).front()));
  q_ = tensor_of(q, graph::DType::f32);
  const HostTensor all = tensor_of(sums, graph::DType::f32);
  const auto reconstruct = std::make_shared<graph::LowRankReconstruct>(layout, ranks);
  std::vector<float> gradient;
  for (std::size_t part = 0; part < parts_; ++part) {
    std::vector<HostTensor> made = run_op(device_, reconstruct, {all, *q_, of_parts_[part]}, scalars);
    gradient = floats_of(made.at(0));
    of_parts_[part] = std::move(made.at(1));
  }
  return gradient;
}

}  // namespace ddlbench::bench
