#include "kernels/linear_cross_entropy.h"

#include <algorithm>
#include <array>

#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "kernels/kernel_table.h"
#include "kernels/own/launch_geometry.h"

namespace ddlbench::kernels {
namespace {

constexpr std::size_t alignment = 64;

std::size_t padded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The outputs after the three metrics, if the op computes gradients.
constexpr int dx_output = 3, dw_output = 4;

/// The products of a chunk of `rows` rows; null if the op does not need them.
struct Chunk {
  std::int64_t rows = 0;
  std::unique_ptr<Kernel> logits;
  std::unique_ptr<Kernel> dx;
  std::unique_ptr<Kernel> dw, dw_adding;
};

/// Computes chunk by chunk; in each chunk, the logits first.
class LinearCrossEntropyKernel final : public Kernel {
 public:
  LinearCrossEntropyKernel(const Binding& binding, const BindProduct& bind, std::unique_ptr<LogitRows> rows)
      : z_(sizes_of_linear_cross_entropy(binding, Storage::any_float)),
        rows_(std::move(rows)),
        differentiates_(attributes_of<graph::LinearCrossEntropyOp>(binding).gradients),
        adds_metrics_(binding.adds_to(0)),
        adds_dx_(binding.adds_to(dx_output)),
        adds_dw_(binding.adds_to(dw_output)),
        x_(binding.inputs[0].dtype),
        type_of_logits_(rows_->type_of_logits(x_)),
        row_(rows_->row_of_logits(z_.vocabulary)),
        chunk_rows_(rows_of_chunk(rows_->limits(z_, row_ * bytes_of(type_of_logits_)), z_.n)),
        x_alignment_(alignment_of_chunk(binding.input_alignment(0))),
        w_alignment_(binding.input_alignment(1)),
        dx_alignment_(differentiates_ ? alignment_of_chunk(binding.output_alignment(dx_output)) : full_alignment),
        dw_alignment_(differentiates_ && !sums_apart() ? binding.output_alignment(dw_output) : full_alignment),
        flops_(flops_of(binding)) {
    expect(binding, binding.adds_to(1) == adds_metrics_ && binding.adds_to(2) == adds_metrics_,
           "either all metrics accumulate or none");
    whole_ = make_chunk(bind, std::min(chunk_rows_, z_.n), true);
    if (chunk_rows_ > 0 && z_.n > chunk_rows_ && z_.n % chunk_rows_ != 0)
      rest_ = make_chunk(bind, z_.n % chunk_rows_, false);
  }

  void launch(const Arguments& a) override {
    const auto* labels = static_cast<const std::int32_t*>(a.inputs[2]);
    rows_->check(labels, {z_.n, z_.vocabulary});
    auto* base = static_cast<std::byte*>(a.workspace);
    std::int64_t begin = 0;
    do {
      const Chunk& chunk = z_.n - begin >= whole_.rows ? whole_ : rest_;
      launch(*chunk.logits, a, {x(a, begin), a.inputs[1]}, base);
      const ClassSizes sizes{chunk.rows, z_.vocabulary};
      if (differentiates_) {
        rows_->differentiate(a.scalars, base, labels + begin, sizes, gradients(base), kept(base, begin));
        launch(*chunk.dx, a, {gradients(base), a.inputs[1]},
               static_cast<std::byte*>(a.outputs[dx_output]) + begin * z_.hidden * bytes_of(x_));
        launch(begin == 0 && !first_adds() ? *chunk.dw : *chunk.dw_adding, a, {x(a, begin), gradients(base)},
               sums_apart() ? base + sums_at() : a.outputs[dw_output]);
      } else {
        rows_->measure(base, labels + begin, sizes, kept(base, begin));
      }
      begin += chunk.rows;
    } while (begin < z_.n);
    if (sums_apart())
      rows_->round(reinterpret_cast<const float*>(base + sums_at()), x_, a.outputs[dw_output],
                   z_.vocabulary * z_.hidden, adds_dw_);
    rows_->write(a, base + kept_at(), z_.n, adds_metrics_);
  }
  std::size_t workspace_bytes() const override {
    return products_at() + std::max(workspace_of(whole_), workspace_of(rest_));
  }
  double flops() const override { return flops_; }

 private:
  void launch(Kernel& product, const Arguments& a, const std::array<const void*, 2>& inputs, void* output) const {
    product.launch({inputs.data(), &output, static_cast<std::byte*>(a.workspace) + products_at(), a.scalars});
  }

  static std::int64_t bytes_of(graph::DType dtype) { return static_cast<std::int64_t>(graph::size_of(dtype)); }
  const std::byte* x(const Arguments& a, std::int64_t begin) const {
    return static_cast<const std::byte*>(a.inputs[0]) + begin * z_.hidden * bytes_of(x_);
  }
  /// Returns whether the weight gradients of the chunks are summed in f32 in the workspace, to be rounded once at the
  /// end.
  bool sums_apart() const { return differentiates_ && x_ != graph::DType::f32 && z_.n > chunk_rows_; }
  bool first_adds() const { return adds_dw_ && !sums_apart(); }

  /// Layout of the workspace: logits; their gradients, if their type differs; the values kept for each row; the sum of
  /// weight gradients; the workspace of the products.
  std::size_t gradients_at() const { return type_of_logits_ == x_ ? 0 : of_chunk(type_of_logits_); }
  void* gradients(std::byte* base) const { return base + gradients_at(); }
  std::size_t of_chunk(graph::DType dtype) const {
    return padded(static_cast<std::size_t>(chunk_rows_ * row_ * bytes_of(dtype)));
  }
  std::size_t kept_at() const { return differentiates_ ? gradients_at() + of_chunk(x_) : of_chunk(type_of_logits_); }
  /// Returns the place of the values kept for the rows from `begin` on.
  void* kept(std::byte* base, std::int64_t begin) const {
    return base + kept_at() + static_cast<std::size_t>(begin) * rows_->bytes_of_row();
  }
  std::size_t sums_at() const { return kept_at() + padded(static_cast<std::size_t>(z_.n) * rows_->bytes_of_row()); }
  std::size_t products_at() const {
    return sums_at() + (sums_apart() ? padded(static_cast<std::size_t>(z_.vocabulary * z_.hidden) * sizeof(float)) : 0);
  }

  /// Returns the alignment of chunks of x or its gradient, given that of the whole tensor.
  std::int64_t alignment_of_chunk(std::int64_t of_whole) const {
    return alignment_of(of_whole, chunk_rows_ * z_.hidden * bytes_of(x_));
  }

  /// Binds the products of a chunk. For the weight gradient, the first chunk writes the sum, or adds if the sum is an
  /// output that accumulates; the other chunks add.
  Chunk make_chunk(const BindProduct& bind, std::int64_t rows, bool first) const {
    const graph::TensorType x{{rows, z_.hidden}, x_}, w{{z_.vocabulary, z_.hidden}, x_},
        logits{{rows, row_}, type_of_logits_}, gradients{logits.shape, x_},
        dw_sum{w.shape, sums_apart() ? graph::DType::f32 : x_};
    Chunk chunk;
    chunk.rows = rows;
    Binding product{{std::make_shared<graph::Linear>(false, graph::Activation::none)}, {x, w}, {logits}};
    product.input_alignments = {x_alignment_, w_alignment_};
    product.output_alignments = {full_alignment};  // in the workspace
    chunk.logits = bind(product);
    if (!differentiates_) return chunk;
    product = {{std::make_shared<graph::LinearBackwardInput>(), adds_dx_}, {gradients, w}, {x}};
    product.input_alignments = {full_alignment, w_alignment_};
    product.output_alignments = {dx_alignment_};
    chunk.dx = bind(product);
    product = {{std::make_shared<graph::LinearBackwardWeight>(false)}, {x, gradients}, {dw_sum}};
    product.input_alignments = {x_alignment_, full_alignment};
    product.output_alignments = {dw_alignment_};
    if (first && !first_adds()) chunk.dw = bind(product);
    product.accumulate = true;
    if (!first || first_adds() || z_.n > chunk_rows_) chunk.dw_adding = bind(product);
    return chunk;
  }
  static std::size_t workspace_of(const Chunk& chunk) {
    std::size_t bytes = 0;
    for (const auto* kernel : {&chunk.logits, &chunk.dx, &chunk.dw, &chunk.dw_adding})
      if (*kernel) bytes = std::max(bytes, (*kernel)->workspace_bytes());
    return bytes;
  }

  LinearCrossEntropySizes z_;
  std::unique_ptr<LogitRows> rows_;
  bool differentiates_;
  bool adds_metrics_, adds_dx_, adds_dw_;
  graph::DType x_, type_of_logits_;
  std::int64_t row_;  ///< row stride of logits
  std::int64_t chunk_rows_;
  std::int64_t x_alignment_, w_alignment_, dx_alignment_, dw_alignment_;
  double flops_;
  Chunk whole_, rest_;
};

}  // namespace

Binding without_padding(Binding product) {
  const auto kind = product.op->kind();
  if (kind == "linear") {
    product.outputs[0].shape.back() = product.inputs[1].shape[0];
  } else if (kind == "linear_backward_input") {
    product.inputs[0].shape.back() = product.inputs[1].shape[0];
  } else {
    require(kind == "linear_backward_weight", "the product of a fused linear cross-entropy is not a linear layer");
    product.inputs[1].shape.back() = product.outputs[0].shape[0];
  }
  return product;
}

std::int64_t rows_of_chunk(const RowLimits& limits, std::int64_t rows) {
  if (rows == 0) return 0;
  const std::int64_t most = std::max(limits.most / limits.multiple, std::int64_t{1}) * limits.multiple;
  const std::int64_t equal = quotient_up(rows, quotient_up(rows, most));
  return std::min(quotient_up(equal, limits.multiple) * limits.multiple, rows);
}

RowLimits limits_of_processor(std::int64_t bytes_of_row) {
  constexpr std::int64_t most_bytes = std::int64_t{64} << 20, fewest_rows = 16;
  return {std::max(most_bytes / bytes_of_row, fewest_rows), 1};
}

RowLimits limits_of_gpu(int multiprocessors, std::int64_t hidden, std::int64_t bytes_of_row) {
  constexpr std::int64_t most_bytes = std::int64_t{512} << 20, tile = 128;
  const std::int64_t columns_of_tiles = quotient_up(std::max(hidden, std::int64_t{1}), tile);
  return {std::min(quotient_up(multiprocessors, columns_of_tiles) * tile, most_bytes / bytes_of_row), tile};
}

std::unique_ptr<Kernel> make_linear_cross_entropy(const Binding& binding, const BindProduct& bind,
                                                  std::unique_ptr<LogitRows> rows) {
  return std::make_unique<LinearCrossEntropyKernel>(binding, bind, std::move(rows));
}

}  // namespace ddlbench::kernels
