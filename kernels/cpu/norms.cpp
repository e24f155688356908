#include "graph/ops/optimizer.h"

#include "kernels/cpu/flat_blocks.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/loss_scale.h"
#include "kernels/functors/update.h"
#include "kernels/operands.h"
#include "kernels/sizes/update.h"

/// Norms are f64 sums over blocks of fixed size, added in the order of the blocks. The result is bitwise the same for
/// any number of threads.
namespace ddlbench::kernels::cpu {
namespace {

using Row = RowTerms<double>;

/// Returns Σ terms(i) over [0, size), computed in lanes so that it vectorises.
template <class Terms>
Row sum_of(std::int64_t size, const Terms& terms) {
  constexpr std::int64_t lanes = 8;
  std::array<double, lanes> first{}, second{};
  const auto add = [&](std::int64_t i, std::size_t lane) {
    const auto made = terms(i);
    first[lane] += made.first;
    second[lane] += made.second;
  };
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) add(i + l, static_cast<std::size_t>(l));
  }
  for (; i < size; ++i) add(i, static_cast<std::size_t>(i % lanes));
  Row sum{0, 0};
  for (std::size_t lane = 0; lane < lanes; ++lane) sum = {sum.first + first[lane], sum.second + second[lane]};
  return sum;
}

std::size_t bytes_of(const std::vector<NormBlock>& blocks) {
  return blocks.size() * sizeof(Row);
}

template <class Rule>
class MeasureKernel final : public Kernel {
 public:
  MeasureKernel(int threads, const Binding& binding, const Rule& rule)
      : threads_(threads),
        rule_(rule),
        z_(sizes_of_measure(binding, Rule::states)),
        blocks_(blocks_of(z_.segments, block_elements)),
        flops_(flops_of(binding)) {}

  void launch(const Arguments& a) override {
    const Gate<float> gate(*a.scalars, z_.guard, z_.squared_norm < 0 ? nullptr : input(a, z_.squared_norm));
    const auto step = rule_.at(*a.scalars, gate.clip);
    auto* sums = static_cast<Row*>(a.workspace);
    const auto count = static_cast<std::int64_t>(blocks_.size());
    parallel_for(threads_, count, z_.size, [&](auto begin, auto end) {
      for (std::int64_t b = begin; b < end; ++b) sums[b] = run(a, gate, step, blocks_[static_cast<std::size_t>(b)]);
    });
    float* rows = output(a, Rule::states);
    std::fill_n(rows, 2 * z_.tensors, 0.0f);
    for (std::size_t b = 0; b < blocks_.size();) {
      const int tensor = blocks_[b].tensor;
      Row sum{0, 0};
      for (; b < blocks_.size() && blocks_[b].tensor == tensor; ++b)
        sum = {sum.first + sums[b].first, sum.second + sums[b].second};
      rows[2 * tensor] = static_cast<float>(sum.first);
      rows[2 * tensor + 1] = static_cast<float>(sum.second);
    }
  }
  std::size_t workspace_bytes() const override { return bytes_of(blocks_); }
  double flops() const override { return flops_; }

 private:
  template <class Step>
  Row run(const Arguments& a, const Gate<float>& gate, const Step& step, const NormBlock& block) const {
    constexpr int states = Rule::states;
    const std::int64_t size = block.end - block.begin;
    std::array<const float*, 2> s{};
    std::array<float*, 2> s_out{};
    for (std::size_t k = 0; k < states; ++k) {
      s[k] = input(a, 2 + static_cast<int>(k)) + block.begin;
      s_out[k] = output(a, static_cast<int>(k)) + block.begin;
    }
    if (gate.skips) {
      for (std::size_t k = 0; k < states; ++k)
        if (s[k] != s_out[k]) std::copy_n(s[k], size, s_out[k]);
      return {0, 0};
    }
    std::array<float, block_elements> buffer;
    const float* g = wide_piece(a.inputs[1], z_.gradient, block.begin, size, buffer);
    const float* w = input(a, 0) + block.begin;
    const auto terms = step.terms(block.exempt, nullptr);
    return sum_of(size, [&](std::int64_t i) -> RowTerms<float> {
      float kept[2] = {};
      for (std::size_t k = 0; k < states; ++k) kept[k] = s[k][i];
      const auto made = step.measure(w[i], g[i] * gate.scale, kept, terms);
      for (std::size_t k = 0; k < states; ++k) s_out[k][i] = kept[k];
      return made;
    });
  }

  int threads_;
  Rule rule_;
  UpdateSizes z_;
  std::vector<NormBlock> blocks_;
  double flops_;
};

}  // namespace

DDLBENCH_CPU_KERNEL(lamb_measure, Storage::any_float) {
  const LambRule rule(attributes_of<graph::LambMeasure>(binding));
  return std::make_unique<MeasureKernel<LambRule>>(context.threads, binding, rule);
}

DDLBENCH_CPU_KERNEL(tensor_norms, Storage::any_float) {
  return std::make_unique<MeasureKernel<NormRule>>(context.threads, binding, NormRule{});
}

DDLBENCH_CPU_KERNEL(squared_norm, Storage::any_float) {
  const auto z = sizes_of_squared_norm(binding);
  const auto blocks = blocks_of(z.segments, block_elements);
  return make_kernel(binding, bytes_of(blocks),
                     [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
                       const double scale = 1 / double{a.scalars->scaler.scale};
                       auto* sums = static_cast<Row*>(a.workspace);
                       const auto count = static_cast<std::int64_t>(blocks.size());
                       parallel_for(threads, count, z.size, [&](auto begin, auto end) {
                         for (std::int64_t b = begin; b < end; ++b) {
                           const NormBlock& block = blocks[static_cast<std::size_t>(b)];
                           std::array<float, block_elements> buffer;
                           const std::int64_t size = block.end - block.begin;
                           const float* g = wide_piece(a.inputs[0], z.gradient, block.begin, size, buffer);
                           sums[b] = sum_of(size, [=](std::int64_t i) -> Row { return {0, double{g[i]} * g[i]}; });
                         }
                       });
                       double total = 0;
                       for (std::int64_t b = 0; b < count; ++b) total += sums[b].second;
                       write(output(a, 0)[0], total * scale * scale, accumulate);
                     });
}

void add_loss_scale_update(KernelTable& table, const Context&) {
  table.add("loss_scale_update", bind_loss_scale_update);
}

}  // namespace ddlbench::kernels::cpu
