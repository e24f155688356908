#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/binding.h"
#include "kernels/sizes/flat.h"

/// graph::HeadLoss and its gradients, together or apart, on any device: its products, and between them its own work on
/// rows of logits.
namespace ddlbench::kernels {

/// Of a chunk: at most so many rows, and all but the last a multiple of that many.
struct RowLimits {
  std::int64_t most = 1, multiple = 1;
};

/// What a device does with rows of logits, in the order of its compute stream. Labels are classes or −1.
class LogitRows {
 public:
  virtual ~LogitRows() = default;
  /// Of what is kept of one row for the metrics.
  virtual std::size_t bytes_of_row() const = 0;
  /// Throws InputError for a label that is no class, where labels can be seen.
  virtual void check(const std::int32_t* labels, const ClassSizes& z) const = 0;
  virtual void measure(const void* logits, const std::int32_t* labels, const ClassSizes& z, void* kept) const = 0;
  /// The sums of what was kept of n rows, into the three outputs.
  virtual void write(const Arguments& arguments, const void* kept, std::int64_t n, bool accumulate) const = 0;
  /// The gradients of logits, which do not outlive it, into `gradients`: the logits' place where both are of one type.
  /// With `kept` what `measure` keeps, too.
  virtual void differentiate(const graph::Scalars* scalars, void* logits, const std::int32_t* labels,
                             const ClassSizes& z, void* gradients, void* kept) const = 0;

  /// Where operands are of type x. The logits' gradients are of type x.
  virtual graph::DType type_of_logits(graph::DType x) const { return x; }
  /// Rounds a weight gradient of `size` elements, which several chunks have added up to, into an output of type x, or
  /// adds it there. Only where x is narrower.
  virtual void round(const float* sum, graph::DType x, void* output, std::int64_t size, bool accumulate) const = 0;
  /// Elements from one row of logits, and of their gradients, to the next. What lies behind the classes is nobody's.
  virtual std::int64_t row_of_logits(std::int64_t classes) const { return classes; }
  /// How many rows of logits of `bytes_of_row` bytes each are made at a time.
  virtual RowLimits limits(const HeadSizes& z, std::int64_t bytes_of_row) const = 0;
};

/// Kernels of the device's linear layers. Where rows of logits are further apart than they are long, the type of logits
/// and of their gradients has as many columns as that, more than the weight has rows: those are neither written nor
/// read.
using BindProduct = std::function<std::unique_ptr<Kernel>(const Binding&)>;

/// The same product of logits that lie dense.
Binding without_padding(Binding product);

/// Chunks of equal rows (the last may lack a few), as few as keep within the limits. Each chunk reads the whole weight
/// twice, and writes its gradient or adds to it.
std::int64_t rows_of_chunk(const RowLimits& limits, std::int64_t rows);

/// What fits into 64 MiB, but 16 rows at least: with GPT-2's 50257 tokens and 1024 rows the three products of f32 take
/// 643 ms on two cores in chunks of 166 rows, 601 ms in chunks of 256, and 570 ms in one.
RowLimits limits_of_processor(std::int64_t bytes_of_row);

/// On a GPU of so many multiprocessors: as many rows as give each of them a tile of 128 × 128 of the input's gradient,
/// [rows, hidden], the product with the fewest tiles; as far as that fits into 512 MiB. Chunks are whole tiles.
RowLimits limits_of_gpu(int multiprocessors, std::int64_t hidden, std::int64_t bytes_of_row);

/// Of any of the four ops of a head.
std::unique_ptr<Kernel> make_head_loss(const Binding& binding, const BindProduct& bind,
                                       std::unique_ptr<LogitRows> rows);

}  // namespace ddlbench::kernels
