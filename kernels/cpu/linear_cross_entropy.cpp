#include "kernels/linear_cross_entropy.h"

#include "graph/ops/loss.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/loss_rows.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/ops.h"
#include "kernels/own/storage.h"
#include "kernels/rewrite/convert.h"

namespace ddlbench::kernels::cpu {
namespace {

/// The LogitRows of the CPU. `T` is the type of the operands; logits and sums are always f32.
template <class T>
class CpuLogitRows final : public LogitRows {
 public:
  CpuLogitRows(int threads, float smoothing, std::int64_t classes) : threads_(threads), target_(smoothing, classes) {}

  std::size_t bytes_of_row() const override { return sizeof(LossRow); }
  void check(const std::int32_t* labels, const ClassSizes& z) const override { check_labels(labels, z); }
  void measure(const void* logits, const std::int32_t* labels, const ClassSizes& z, void* kept) const override {
    loss_rows(threads_, static_cast<const float*>(logits), labels, z, target_, static_cast<LossRow*>(kept));
  }
  void write(const Arguments& arguments, const void* kept, std::int64_t n, bool accumulate) const override {
    write_metrics(arguments, static_cast<const LossRow*>(kept), n, accumulate);
  }
  void differentiate(const graph::Scalars* scalars, void* logits, const std::int32_t* labels, const ClassSizes& z,
                     void* gradients, void* kept) const override {
    const float scale = scalars->inverse_count * scalars->scaler.scale;
    differentiate_rows(threads_, static_cast<float*>(logits), labels, z, target_, scale, static_cast<T*>(gradients),
                       static_cast<LossRow*>(kept));
  }
  graph::DType type_of_logits(graph::DType) const override { return graph::DType::f32; }
  void round(const float* sum, graph::DType x, void* output, std::int64_t size, bool accumulate) const override {
    if (accumulate)
      add_to(threads_, x, output, sum, size);
    else
      narrow(threads_, x, sum, output, size);
  }
  RowLimits limits(const LinearCrossEntropySizes&, std::int64_t bytes_of_row) const override {
    return limits_of_processor(bytes_of_row);
  }

 private:
  int threads_;
  SmoothedTarget<float> target_;
};

KernelFactory factory(const Context& context) {
  return [&context](const Binding& binding) {
    const auto z = sizes_of_linear_cross_entropy(binding, Storage::f32_or_bf16);
    const float smoothing = attributes_of<graph::LinearCrossEntropyOp>(binding).label_smoothing;
    const BindProduct products = [&context](const Binding& product) { return context.kernels->bind(product); };
    std::unique_ptr<LogitRows> rows;
    if (binding.inputs[0].dtype == graph::DType::bf16)
      rows = std::make_unique<CpuLogitRows<own::Bfloat16>>(context.threads, smoothing, z.vocabulary);
    else
      rows = std::make_unique<CpuLogitRows<float>>(context.threads, smoothing, z.vocabulary);
    return make_linear_cross_entropy(binding, products, std::move(rows));
  };
}

/// Returns the types that the kernels support. Without bf16 instructions, this is only f32: the whole op is then
/// converted to f32 once, instead of each of its products.
Storage storage() {
  return onednn::multiplies_bf16() ? Storage::f32_or_bf16 : Storage::f32;
}

}  // namespace

void add_linear_cross_entropy(KernelTable& table, const Context& context) {
  table.add("linear_cross_entropy", storage(), factory(context));
}

void add_linear_cross_entropy_and_gradients(KernelTable& table, const Context& context) {
  table.add("linear_cross_entropy_and_gradients", storage(), factory(context));
}

}  // namespace ddlbench::kernels::cpu
