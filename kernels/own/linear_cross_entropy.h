#pragma once

#include "kernels/linear_cross_entropy.h"
#include "kernels/own/cast.h"
#include "kernels/own/cross_entropy.h"

namespace ddlbench::kernels::own {

/// Operations on rows of logits for the fused linear cross-entropy, by the kernels of cross-entropy. Logits have the
/// type of the op's input.
///
/// The row stride is a multiple of 128 bytes: 50304 elements for GPT-2's 50257 classes in bf16. So 16-byte vectors load
/// and store all of a row except its last class, and the leading dimension of products is aligned for the loads of
/// tensor cores. Padding the vocabulary in the model would also pad weights and their gradients; here only the
/// workspace is padded, and weights, checkpoints and sums are unchanged.
template <class T, class Launcher>
class DeviceRows final : public LogitRows {
 public:
  DeviceRows(const Launcher& launcher, float smoothing, std::int64_t classes)
      : launcher_(launcher), target_(smoothing, classes), row_(quotient_up(classes, line) * line) {}

  std::size_t bytes_of_row() const override { return sizeof(Metrics); }
  /// Does nothing, because the labels are in device memory. A label that is not a class makes the loss NaN.
  void check(const std::int32_t*, const ClassSizes&) const override {}
  void measure(const void* logits, const std::int32_t* labels, const ClassSizes& z, void* kept) const override {
    launch_loss_rows(launcher_, "linear_cross_entropy", target_, matrix(logits, labels, z),
                     static_cast<Metrics*>(kept));
  }
  void write(const Arguments& arguments, const void* kept, std::int64_t n, bool accumulate) const override {
    launch_metrics(launcher_, "linear_cross_entropy", arguments, static_cast<const Metrics*>(kept), n, accumulate);
  }
  void differentiate(const graph::Scalars* scalars, void* logits, const std::int32_t* labels, const ClassSizes& z,
                     void* gradients, void* kept) const override {
    launch_gradient_rows(launcher_, "linear_cross_entropy_and_gradients", target_, scalars, matrix(logits, labels, z),
                         static_cast<T*>(gradients), false, static_cast<Metrics*>(kept));
  }
  void round(const float* sum, graph::DType, void* output, std::int64_t size, bool accumulate) const override {
    launch_cast(launcher_, "linear_cross_entropy_and_gradients", sum, static_cast<T*>(output), size, accumulate);
  }
  RowLimits limits(const LinearCrossEntropySizes& z, std::int64_t bytes_of_row) const override {
    return limits_of_gpu(launcher_.multiprocessors(), z.hidden, bytes_of_row);
  }
  std::int64_t row_of_logits(std::int64_t) const override { return row_; }

 private:
  static constexpr std::int64_t line = 128 / sizeof(T);

  LogitMatrix<T> matrix(const void* logits, const std::int32_t* labels, const ClassSizes& z) const {
    return {static_cast<const T*>(logits), labels, z.n, z.classes, row_};
  }

  Launcher launcher_;
  SmoothedTarget<float> target_;
  std::int64_t row_;
};

/// Binds the fused linear cross-entropy, with or without gradients.
template <class Launcher>
std::unique_ptr<Kernel> bind_linear_cross_entropy(const Binding& binding, const Launcher& launcher,
                                                  const BindProduct& products) {
  const auto z = sizes_of_linear_cross_entropy(binding, Storage::any_float);
  const float smoothing = attributes_of<graph::LinearCrossEntropyOp>(binding).label_smoothing;
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_linear_cross_entropy(binding, products,
                                     std::make_unique<DeviceRows<T, Launcher>>(launcher, smoothing, z.vocabulary));
  });
}

}  // namespace ddlbench::kernels::own
