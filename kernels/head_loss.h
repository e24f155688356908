#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/binding.h"
#include "kernels/flat_sizes.h"

/// graph::HeadLoss and its gradients, together or apart, on any device: its products, and between them its own work on
/// rows of logits.
namespace ddlbench::kernels {

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

  /// Where operands are of type x. The weight gradient that several chunks add up to is of this type, too; the logits'
  /// gradients are of type x.
  virtual graph::DType type_of_logits(graph::DType x) const { return x; }
  /// Rounds such a sum of `size` elements into an output of type x, or adds it there. Only where the types differ.
  virtual void round(const void* sum, graph::DType x, void* output, std::int64_t size, bool accumulate) const;
};

/// Kernels of the device's linear layers.
using BindProduct = std::function<std::unique_ptr<Kernel>(const Binding&)>;

/// Rows of logits of `bytes_of_row` each that are made at a time: chunks of equal rows (the last may lack a few), as
/// few as keep within 64 MiB, but of 16 rows at least. Each chunk reads the whole weight twice, and writes its gradient
/// or adds to it: with GPT-2's 50257 tokens and 1024 rows the three products take 643 ms in chunks of 166 rows, 601 ms
/// in chunks of 256, and 570 ms in one.
std::int64_t rows_of_chunk(std::int64_t bytes_of_row, std::int64_t rows);

std::unique_ptr<Kernel> make_head_loss(const Binding& binding, const BindProduct& bind,
                                       std::unique_ptr<LogitRows> rows);
std::unique_ptr<Kernel> make_head_loss_and_gradients(const Binding& binding, const BindProduct& bind,
                                                     std::unique_ptr<LogitRows> rows);
std::unique_ptr<Kernel> make_head_loss_backward_input(const Binding& binding, const BindProduct& bind,
                                                      std::unique_ptr<LogitRows> rows);
std::unique_ptr<Kernel> make_head_loss_backward_weight(const Binding& binding, const BindProduct& bind,
                                                       std::unique_ptr<LogitRows> rows);

}  // namespace ddlbench::kernels
