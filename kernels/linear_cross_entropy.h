#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/binding.h"
#include "kernels/sizes/flat.h"

/// Fused linear cross-entropy (graph::LinearCrossEntropy), alone or with its gradients, on any device. It is made of
/// the device's matrix products and, between them, device-specific work on rows of logits.
namespace ddlbench::kernels {

/// Limits on the rows of a chunk: the maximum, and a number of which all chunks except the last have a multiple.
struct RowLimits {
  std::int64_t most = 1, multiple = 1;
};

/// Operations of a device on rows of logits, in the order of its compute stream. Labels are classes or −1 (ignored).
class LogitRows {
 public:
  virtual ~LogitRows() = default;
  /// Returns the bytes that are kept for each row for the metrics.
  virtual std::size_t bytes_of_row() const = 0;
  /// Throws InputError for a label that is neither a class nor −1, if the host can read the labels.
  virtual void check(const std::int32_t* labels, const ClassSizes& z) const = 0;
  virtual void measure(const void* logits, const std::int32_t* labels, const ClassSizes& z, void* kept) const = 0;
  /// Writes the sums of the values kept for n rows to the three metric outputs.
  virtual void write(const Arguments& arguments, const void* kept, std::int64_t n, bool accumulate) const = 0;
  /// Computes the gradients of logits into `gradients`, which is the memory of `logits` if both have the same type. The
  /// logits are not valid afterwards. Also writes to `kept` what `measure` writes.
  virtual void differentiate(const graph::Scalars* scalars, void* logits, const std::int32_t* labels,
                             const ClassSizes& z, void* gradients, void* kept) const = 0;

  /// Returns the type of logits if the operands have type `x`. The gradients of logits always have type `x`.
  virtual graph::DType type_of_logits(graph::DType x) const { return x; }
  /// Rounds a weight gradient of `size` elements, the f32 sum over chunks, to type `x`, and writes it to `output` or
  /// adds it there. Called only if `x` is narrower than f32.
  virtual void round(const float* sum, graph::DType x, void* output, std::int64_t size, bool accumulate) const = 0;
  /// Returns the row stride of logits and of their gradients, in elements. The elements after the classes are padding.
  virtual std::int64_t row_of_logits(std::int64_t classes) const { return classes; }
  /// Returns limits on the number of rows that are computed at a time; each row of logits has `bytes_of_row` bytes.
  virtual RowLimits limits(const LinearCrossEntropySizes& z, std::int64_t bytes_of_row) const = 0;
};

/// Binds linear layers of the device. If the row stride of logits exceeds the number of classes, the last dimension of
/// the logits' type, and of their gradients' type, is the stride, so it is larger than the number of rows of the
/// weight. The additional columns are neither written nor read.
using BindProduct = std::function<std::unique_ptr<Kernel>(const Binding&)>;

/// Returns the same product with dense rows of logits.
Binding without_padding(Binding product);

/// Returns the rows of a chunk, such that the chunks are equal (the last may have fewer rows) and as few as the limits
/// allow. Each chunk reads the whole weight twice, and writes its gradient or adds to it.
std::int64_t rows_of_chunk(const RowLimits& limits, std::int64_t rows);

/// Limits a chunk to 64 MiB of logits, but not below 16 rows. With GPT-2's 50257 tokens and 1024 rows, the three
/// products in f32 take 643 ms on two cores in chunks of 166 rows, 601 ms in chunks of 256, and 570 ms in one.
RowLimits limits_of_processor(std::int64_t bytes_of_row);

/// Limits for a GPU with this number of multiprocessors. The product with the fewest tiles of 128 × 128 is the input's
/// gradient, [rows, hidden]: a chunk has as many rows as give each multiprocessor one of its tiles, but at most 512 MiB
/// of logits. A chunk is a whole number of tiles.
RowLimits limits_of_gpu(int multiprocessors, std::int64_t hidden, std::int64_t bytes_of_row);

/// Makes a kernel for the op with or without gradients.
std::unique_ptr<Kernel> make_linear_cross_entropy(const Binding& binding, const BindProduct& bind,
                                                  std::unique_ptr<LogitRows> rows);

}  // namespace ddlbench::kernels
