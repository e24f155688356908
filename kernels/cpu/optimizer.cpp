#include "graph/ops/optimizer.h"

#include "base/independent.h"
#include "kernels/cpu/flat_blocks.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/update.h"
#include "kernels/operands.h"
#include "kernels/sizes/update.h"

namespace ddlbench::kernels::cpu {
namespace {

/// The operands' addresses, copied so that the loop is over plain arrays.
template <int states>
struct Piece {
  const float* w;
  const float* g;
  float* w_out;
  std::array<const float*, 2> s{};
  std::array<float*, 2> s_out{};
  std::int64_t size;
};

template <int states, class Step>
void update(const Step& step, const TensorTerms<float>& terms, float scale, const Piece<states>& piece) {
  const float *w = piece.w, *g = piece.g, *first = piece.s[0], *second = piece.s[1];
  float *w_out = piece.w_out, *first_out = piece.s_out[0], *second_out = piece.s_out[1];
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = 0; i < piece.size; ++i) {
    float weight = w[i], kept[2] = {};
    if constexpr (states > 0) kept[0] = first[i];
    if constexpr (states > 1) kept[1] = second[i];
    step(weight, g[i] * scale, kept, terms);
    w_out[i] = weight;
    if constexpr (states > 0) first_out[i] = kept[0];
    if constexpr (states > 1) second_out[i] = kept[1];
  }
}

void copy_piece(const float* from, float* to, std::int64_t size) {
  if (from != to) std::copy_n(from, size, to);
}

template <class Rule>
class UpdateKernel final : public Kernel {
 public:
  UpdateKernel(int threads, const Binding& binding, const Rule& rule)
      : threads_(threads),
        rule_(rule),
        z_(sizes_of_update(binding, Rule::states, Rule::needs_norms)),
        flops_(flops_of(binding)) {}

  void launch(const Arguments& a) override {
    const Gate<float> gate(*a.scalars, z_.guard, z_.squared_norm < 0 ? nullptr : input(a, z_.squared_norm));
    const auto step = rule_.at(*a.scalars, gate.clip);
    parallel_for(threads_, z_.size, z_.size, [&](auto begin, auto end) {
      each_piece(z_.segments, begin, end, [&](const graph::UpdateSegment& segment, auto first, auto last) {
        run(a, gate, step, segment, first, last - first);
      });
    });
  }
  double flops() const override { return flops_; }

 private:
  template <class Step>
  void run(const Arguments& a, const Gate<float>& gate, const Step& step, const graph::UpdateSegment& segment,
           std::int64_t begin, std::int64_t size) const {
    constexpr int states = Rule::states;
    Piece<states> piece{input(a, 0) + begin, nullptr, output(a, 0) + begin, {}, {}, size};
    for (std::size_t s = 0; s < states; ++s) {
      piece.s[s] = input(a, 2 + static_cast<int>(s)) + begin;
      piece.s_out[s] = output(a, 1 + static_cast<int>(s)) + begin;
    }
    if (gate.skips) {
      copy_piece(piece.w, piece.w_out, size);
      for (std::size_t s = 0; s < states; ++s) copy_piece(piece.s[s], piece.s_out[s], size);
    } else {
      std::array<float, block_elements> buffer;
      piece.g = wide_piece(a.inputs[1], z_.gradient, begin, size, buffer);
      const float* row = z_.norms < 0 ? nullptr : input(a, z_.norms) + 2 * segment.tensor;
      update<states>(step, step.terms(segment.exempt, row), gate.scale, piece);
    }
    const int working = z_.working_output(states);
    if (working >= 0) narrow(1, z_.working, piece.w_out, output_of<std::uint16_t>(a, working) + begin, size);
  }

  int threads_;
  Rule rule_;
  UpdateSizes z_;
  double flops_;
};

template <class Rule, class Op>
std::unique_ptr<Kernel> bind(const Context& context, const Binding& binding) {
  return std::make_unique<UpdateKernel<Rule>>(context.threads, binding, Rule(attributes_of<Op>(binding)));
}

}  // namespace

DDLBENCH_CPU_KERNEL(sgd_update, Storage::any_float) {
  return attributes_of<graph::SgdUpdate>(binding).momentum != 0 ? bind<SgdRule<1>, graph::SgdUpdate>(context, binding)
                                                                : bind<SgdRule<0>, graph::SgdUpdate>(context, binding);
}

DDLBENCH_CPU_KERNEL(adam_update, Storage::any_float) {
  return bind<AdamRule, graph::AdamUpdate>(context, binding);
}

DDLBENCH_CPU_KERNEL(lars_update, Storage::any_float) {
  return bind<LarsRule, graph::LarsUpdate>(context, binding);
}

DDLBENCH_CPU_KERNEL(lamb_update, Storage::any_float) {
  return bind<LambRule, graph::LambUpdate>(context, binding);
}

}  // namespace ddlbench::kernels::cpu
