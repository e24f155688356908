#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <dnnl.hpp>

#include "kernels/sizes/layers.h"

/// All that depends on oneDNN's version (here 2.x, whose primitives are made from an operation's
/// descriptor): with onednn.cpp, the only place to change for 3.x.
namespace ddlbench::kernels::cpu::onednn {

/// "2.6.3", of the library that is loaded.
std::string version();

/// The channels that lie beside each other where its convolutions are fastest: what a vector register holds.
std::int64_t channel_block();

/// The widest that the library uses here, as its number: ONEDNN_MAX_CPU_ISA may say less than the processor has.
std::string instruction_set();

/// Whether it has instructions for products of bf16 here; without, what it has for them is slower than f32.
bool multiplies_bf16();

/// How many threads the library uses for calls from this thread.
void use_threads(int threads);

/// What an op's inputs are and its outputs, f32 or bf16; a primitive sums products in f32 whatever they are, and with
/// `wide_results` also leaves its results so, to be added to what they are given for.
struct Precision {
  graph::DType operands = graph::DType::f32;
  graph::DType results = graph::DType::f32;  ///< the operands' type, or of a product f32
  bool wide_results = false;
};

/// A tensor as an op is given it, and as a primitive wants it.
struct Operand {
  int argument = 0;  ///< DNNL_ARG_…
  dnnl::memory::desc given;
  dnnl::memory::desc wanted;
};

/// A primitive made ready, operands in the order of the op that it computes.
struct Prepared {
  std::string implementation;
  dnnl::primitive primitive;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  dnnl::memory::desc scratchpad;
  bool adds = false;  ///< to its output instead of writing it
};

/// Which operands of a convolution the library may lay out as it likes, and by which algorithm: directly, or by
/// Winograd's (Lavin & Gray 2016), which it never picks itself and has for 3×3 windows of stride 1 in f32 alone.
struct ConvolutionWay {
  bool source = false;
  bool weights = false;
  bool destination = false;
  bool winograd = false;
};

/// Each of these returns nothing where the library has no such primitive. The library's fused relu turns
/// what is not a number into 0, unlike `activate`: the last layer, which has none, still shows it.
std::optional<Prepared> convolution_forward(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias, bool relu,
                                            ConvolutionWay way, Precision precision);
std::optional<Prepared> convolution_backward_input(const dnnl::engine& engine, const ConvolutionSizes& z,
                                                   ConvolutionWay way, Precision precision);
std::optional<Prepared> convolution_backward_weight(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias,
                                                    ConvolutionWay way, Precision precision);

/// x wᵀ + b through an inner product, weights laid out freely or not.
std::optional<Prepared> inner_product_forward(const dnnl::engine& engine, const LinearSizes& z, bool bias, bool relu,
                                              bool free_weights, Precision precision);

/// One factor of a matrix product: row-major, or the transpose of what lies row-major.
struct Factor {
  int operand = 0;  ///< which input of the op it is
  bool transposed = false;
};

/// [rows, depth] · [depth, columns] (+ bias[columns], as input 2), (relu), (added to the output).
struct Product {
  std::int64_t rows = 0, depth = 0, columns = 0;
  Factor left, right;
  bool bias = false;
  bool relu = false;
  bool add = false;
};
/// Where the primitive adds to its output, that is of the type that it is given in.
std::optional<Prepared> matrix_product(const dnnl::engine& engine, const Product& product, Precision precision);

/// Row-major, so many elements from row to row; `transposed`: the factor is its transpose.
struct Matrix {
  const float* data = nullptr;
  std::int64_t row = 0;
  bool transposed = false;
};

/// c[rows, columns] = scale · a[rows, depth] · b[depth, columns] (+ c), c's rows `c_row` elements apart. For many
/// small products inside one op: on the calling thread alone where that is one of several.
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, float scale, Matrix a, Matrix b, bool add,
              float* c, std::int64_t c_row);

/// A primitive with its memory objects: run any number of times, on other addresses each time.
class Call {
 public:
  struct Argument {
    int argument = 0;
    dnnl::memory::desc layout;
  };
  Call(const dnnl::engine& engine, dnnl::primitive primitive, const std::vector<Argument>& arguments);

  /// From one layout to another: argument 0 to argument 1.
  static Call reorder(const dnnl::engine& engine, const dnnl::memory::desc& from, const dnnl::memory::desc& to);

  /// The address of the argument at `index` of the constructor's list.
  void set(std::size_t index, void* address);
  /// Returns when the primitive has run.
  void run(dnnl::stream& stream) const;

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<void*> addresses_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

std::size_t bytes_of(const dnnl::memory::desc& layout);
std::int64_t elements_of(const dnnl::memory::desc& layout);
/// f32 or bf16.
graph::DType dtype_of(const dnnl::memory::desc& layout);
/// The same layout of f32.
dnnl::memory::desc in_f32(dnnl::memory::desc layout);

}  // namespace ddlbench::kernels::cpu::onednn
