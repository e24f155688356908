#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <dnnl.hpp>

#include "kernels/sizes/layers.h"

/// Everything that depends on oneDNN's version. This is 2.x, where primitives are created from operation descriptors.
/// Only this header and onednn.cpp would change for 3.x.
namespace ddlbench::kernels::cpu::onednn {

/// Returns the version of the loaded library, for example "2.6.3".
std::string version();

/// Returns the number of contiguous channels with which oneDNN's convolutions are fastest: as many f32 as a vector
/// register holds, or 1 (row-major) without AVX.
std::int64_t channel_block();

/// Returns a text with the number of the widest instruction set that oneDNN uses here. ONEDNN_MAX_CPU_ISA may make it
/// less than the processor's.
std::string instruction_set();

/// Returns whether oneDNN has instructions for bf16 products here. Without them, its bf16 products are slower than f32.
bool multiplies_bf16();

/// Sets the number of threads that oneDNN uses for calls from the calling thread.
void use_threads(int threads);

/// The types of an op's inputs and outputs, f32 or bf16. A primitive always sums products in f32. With `wide_results`
/// it also leaves its results in f32, for adding them to the outputs.
struct Precision {
  graph::DType operands = graph::DType::f32;
  graph::DType results = graph::DType::f32;  ///< the type of the operands; for a product also f32
  bool wide_results = false;
};

/// A tensor in the layout that the op gets, and in the layout that the primitive needs.
struct Operand {
  int argument = 0;  ///< DNNL_ARG_…
  dnnl::memory::desc given;
  dnnl::memory::desc wanted;
};

/// A primitive and its operands, in the order of the op that it computes.
struct Prepared {
  std::string implementation;
  dnnl::primitive primitive;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  dnnl::memory::desc scratchpad;
  bool adds = false;  ///< it adds to its output instead of overwriting it
};

/// Which operands of a convolution oneDNN may lay out freely, and which algorithm it uses: the direct one or Winograd's
/// (Lavin & Gray 2016). oneDNN never selects Winograd's itself, and has it only for 3×3 windows with stride 1 in f32.
struct ConvolutionVariant {
  bool source = false;
  bool weights = false;
  bool destination = false;
  bool winograd = false;
};

/// The following functions return nothing if oneDNN has no such primitive. Unlike `activate`, oneDNN's fused ReLU turns
/// NaN into 0. The output of the last layer still shows NaN, because that layer has no ReLU.
std::optional<Prepared> convolution_forward(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias, bool relu,
                                            ConvolutionVariant variant, Precision precision);
std::optional<Prepared> convolution_backward_input(const dnnl::engine& engine, const ConvolutionSizes& z,
                                                   ConvolutionVariant variant, Precision precision);
std::optional<Prepared> convolution_backward_weight(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias,
                                                    ConvolutionVariant variant, Precision precision);

/// Computes x wᵀ + b with an inner product. If `free_weights`, oneDNN may lay out the weights freely.
std::optional<Prepared> inner_product_forward(const dnnl::engine& engine, const LinearSizes& z, bool bias, bool relu,
                                              bool free_weights, Precision precision);

/// One factor of a matrix product: a row-major matrix, or the transpose of one.
struct Factor {
  int operand = 0;  ///< index of the op's input
  bool transposed = false;
};

/// The layout in which a product reads its right factor. The larger the power of two that divides the distance between
/// rows, the fewer of a cache's sets hold a column, and a column may evict itself.
enum class FactorLayout {
  given,
  packed,  ///< of oneDNN's choice
  padded,  ///< rows 64 bytes longer; only if they are a multiple of 1 KiB
};

/// The product [rows, depth] · [depth, columns], optionally with bias[columns] (the op's input 2), ReLU, and addition
/// to the output.
struct Product {
  std::int64_t rows = 0, depth = 0, columns = 0;
  Factor left, right;
  bool bias = false;
  bool relu = false;
  bool add = false;
  FactorLayout right_layout = FactorLayout::given;
};
/// Also returns nothing if the rows of the right factor should be padded and are no multiple of 1 KiB. If
/// `product.add`, the primitive adds to the output in the type `precision.results`, even with `wide_results`.
std::optional<Prepared> matrix_product(const dnnl::engine& engine, const Product& product, Precision precision);

/// A row-major matrix with `row` elements from one row to the next. If `transposed`, the factor is its transpose.
struct Matrix {
  const float* data = nullptr;
  std::int64_t row = 0;
  bool transposed = false;
};

/// Computes c[rows, columns] = scale · a[rows, depth] · b[depth, columns], plus the previous c if `add`. Rows of c are
/// `c_row` elements apart. For many small products inside one op: if several threads call it in a parallel region, each
/// call uses only the calling thread.
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, float scale, Matrix a, Matrix b, bool add,
              float* c, std::int64_t c_row);

/// A primitive with its memory objects. It can run any number of times, on other addresses each time.
class Call {
 public:
  struct Argument {
    int argument = 0;
    dnnl::memory::desc layout;
  };
  Call(const dnnl::engine& engine, dnnl::primitive primitive, const std::vector<Argument>& arguments);

  /// Makes a call that reorders argument 0, of layout `from`, to argument 1, of layout `to`.
  static Call reorder(const dnnl::engine& engine, const dnnl::memory::desc& from, const dnnl::memory::desc& to);

  /// Sets the address of the argument at `index` of the constructor's list.
  void set(std::size_t index, void* address);
  /// Runs the primitive, and returns when it has finished.
  void run(dnnl::stream& stream) const;

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<void*> addresses_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

std::size_t bytes_of(const dnnl::memory::desc& layout);
std::int64_t elements_of(const dnnl::memory::desc& layout);
/// Returns f32 or bf16.
graph::DType dtype_of(const dnnl::memory::desc& layout);
/// Returns the same layout with type f32.
dnnl::memory::desc in_f32(dnnl::memory::desc layout);

}  // namespace ddlbench::kernels::cpu::onednn
