#include "kernels/head_loss.h"

#include "graph/ops/loss.h"
#include "kernels/cpu/loss_rows.h"
#include "kernels/cpu/ops.h"

namespace ddlbench::kernels::cpu {
namespace {

class HostRows final : public LogitRows {
 public:
  HostRows(int threads, float smoothing, std::int64_t classes) : threads_(threads), target_(smoothing, classes) {}

  std::size_t bytes_of_row() const override { return sizeof(LossRow); }
  void check(const std::int32_t* labels, const ClassSizes& z) const override { check_labels(labels, z); }
  void measure(const void* logits, const std::int32_t* labels, const ClassSizes& z, void* kept) const override {
    loss_rows(threads_, static_cast<const float*>(logits), labels, z, target_, static_cast<LossRow*>(kept));
  }
  void write(const Arguments& arguments, const void* kept, std::int64_t n, bool accumulate) const override {
    write_metrics(arguments, static_cast<const LossRow*>(kept), n, accumulate);
  }
  void differentiate(const graph::Scalars* scalars, void* logits, const std::int32_t* labels, const ClassSizes& z,
                     void* kept) const override {
    auto* rows = static_cast<float*>(logits);
    const float scale = scalars->inverse_count * scalars->scaler.scale;
    if (kept == nullptr)
      gradient_rows(threads_, rows, labels, z, target_, scale, false, rows);
    else
      differentiate_rows(threads_, rows, labels, z, target_, scale, static_cast<LossRow*>(kept));
  }

 private:
  int threads_;
  SmoothedTarget<float> target_;
};

using MakeHead = std::unique_ptr<Kernel> (*)(const Binding&, const BindProduct&, std::unique_ptr<LogitRows>);

template <class Op>
KernelFactory factory(const Context& context, MakeHead make) {
  return [&context, make](const Binding& binding) {
    const auto z = sizes_of_head_loss(binding);
    const float smoothing = attributes_of<Op>(binding).label_smoothing;
    const BindProduct products = [&context](const Binding& product) { return context.kernels->bind(product); };
    return make(binding, products, std::make_unique<HostRows>(context.threads, smoothing, z.vocabulary));
  };
}

}  // namespace

void add_head_loss(KernelTable& table, const Context& context) {
  table.add("head_loss", factory<graph::HeadLoss>(context, make_head_loss));
}

void add_head_loss_and_gradients(KernelTable& table, const Context& context) {
  table.add("head_loss_and_gradients", factory<graph::HeadLossAndGradients>(context, make_head_loss_and_gradients));
}

void add_head_loss_backward_input(KernelTable& table, const Context& context) {
  table.add("head_loss_backward_input", factory<graph::HeadLossBackwardInput>(context, make_head_loss_backward_input));
}

void add_head_loss_backward_weight(KernelTable& table, const Context& context) {
  table.add("head_loss_backward_weight",
            factory<graph::HeadLossBackwardWeight>(context, make_head_loss_backward_weight));
}

}  // namespace ddlbench::kernels::cpu
