#include "kernels/cpu/onednn.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <new>
#include <utility>

#include "base/error.h"

// oneDNN uses OpenMP even if the loops of this folder do not: its run-time library is then loaded.
extern "C" void omp_set_num_threads(int threads) __attribute__((weak));

namespace ddlbench::kernels::cpu::onednn {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

memory::data_type type_of(graph::DType dtype) {
  require(dtype == graph::DType::f32 || dtype == graph::DType::bf16, "a primitive needs f32 or bf16");
  return dtype == graph::DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::desc dense(const memory::dims& dims, graph::DType dtype) {
  constexpr Tag tags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
  return {dims, type_of(dtype), tags[dims.size() - 1]};
}

/// Returns the layout of [n, channels, h, w] with channels in blocks.
memory::desc image(const memory::dims& dims, std::int64_t block, graph::DType dtype) {
  if (block == 1) return dense(dims, dtype);
  require(block == 4 || block == 8 || block == 16, "a primitive needs channels in blocks of 4, 8 or 16");
  return {dims, type_of(dtype), block == 4 ? Tag::nChw4c : block == 8 ? Tag::nChw8c : Tag::nChw16c};
}

memory::desc free_or_given(const memory::desc& given, bool free) {
  return free ? memory::desc(given.dims(), given.data_type(), Tag::any) : given;
}

/// Returns a matrix with rows 64 bytes longer than those of `given`, or nothing if they are no multiple of 1 KiB.
std::optional<memory::desc> with_padded_rows(const memory::desc& given, bool transposed) {
  constexpr std::int64_t aliasing_bytes = 1024, padding_bytes = 64;
  const auto dims = given.dims();
  const auto element = static_cast<std::int64_t>(memory::data_type_size(given.data_type()));
  const std::int64_t row = dims[transposed ? 0 : 1];
  if (row * element % aliasing_bytes != 0) return std::nullopt;
  const std::int64_t padded = row + padding_bytes / element;
  return memory::desc(dims, given.data_type(), transposed ? memory::dims{1, padded} : memory::dims{padded, 1});
}

memory::desc result(const memory::desc& wanted, Precision precision) {
  return precision.wide_results ? in_f32(wanted) : wanted;
}

/// Returns the dimensions of the weights. For a grouped convolution, oneDNN needs the groups in a dimension of their
/// own.
memory::dims weight_dims(const ConvolutionSizes& z) {
  if (z.groups == 1) return {z.k, z.c, z.r, z.s};
  return {z.groups, z.k / z.groups, z.group_channels(), z.r, z.s};
}

constexpr ConvolutionVariant anything{true, true, true, false};

struct Geometry {
  Geometry(const ConvolutionSizes& z, ConvolutionVariant variant, graph::DType dtype)
      : x(image({z.n, z.c, z.h, z.w}, z.x_block, dtype)),
        w(dense(weight_dims(z), dtype)),
        b(dense({z.k}, dtype)),
        y(image({z.n, z.k, z.p, z.q}, z.y_block, dtype)),
        free_x(free_or_given(x, variant.source)),
        free_w(free_or_given(w, variant.weights)),
        free_y(free_or_given(y, variant.destination)),
        strides{z.stride, z.stride},
        dilation{z.dilation - 1, z.dilation - 1},
        padding{z.padding, z.padding} {}
  memory::desc x, w, b, y;
  memory::desc free_x, free_w, free_y;
  memory::dims strides, dilation, padding;  ///< oneDNN counts a dilation of 1 as 0
};

dnnl::primitive_attr attributes(bool relu, bool add) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops post;
  if (add) post.append_sum(1.0f);
  if (relu) post.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  attr.set_post_ops(post);
  return attr;
}

/// Throws std::bad_alloc if there is too little memory for the machine code of a primitive: where oneDNN cannot
/// allocate that, it writes to address 0.
void require_memory_for_code() {
  constexpr std::size_t bytes = 16 << 20;  // a primitive may have many kernels, each in a buffer of 256 KiB
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, bytes);
}

/// Returns make(), or nothing if oneDNN has no such primitive. Throws std::bad_alloc if there is too little memory, as
/// a device does.
std::optional<Prepared> if_implemented(auto&& make) {
  require_memory_for_code();
  try {
    return make();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_unimplemented) return std::nullopt;
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw;
  }
}

dnnl::algorithm algorithm_of(const ConvolutionVariant& variant) {
  return variant.winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct;
}

dnnl::convolution_forward::primitive_desc forward_convolution(const dnnl::engine& engine, const Geometry& g, bool bias,
                                                              dnnl::algorithm algorithm,
                                                              const dnnl::primitive_attr& attr, Precision precision) {
  using Convolution = dnnl::convolution_forward;
  constexpr auto kind = dnnl::prop_kind::forward_training;
  const auto y = result(g.free_y, precision);
  const auto desc =
      bias ? Convolution::desc(kind, algorithm, g.free_x, g.free_w, g.b, y, g.strides, g.dilation, g.padding, g.padding)
           : Convolution::desc(kind, algorithm, g.free_x, g.free_w, y, g.strides, g.dilation, g.padding, g.padding);
  return {desc, attr, engine};
}

}  // namespace

std::string version() {
  const auto* v = dnnl::version();
  return fmt::format("{}.{}.{}", v->major, v->minor, v->patch);
}

std::int64_t channel_block() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx512_core:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_amx:
      return 16;
    case dnnl::cpu_isa::avx:
    case dnnl::cpu_isa::avx2:
    case dnnl::cpu_isa::avx2_vnni:
      return 8;
    default:
      return 1;
  }
}

std::string instruction_set() {
  return fmt::format("instructions {}", static_cast<int>(dnnl::get_effective_cpu_isa()));
}

bool multiplies_bf16() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  return isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
}

void use_threads(int threads) {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads);
}

std::optional<Prepared> convolution_forward(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias, bool relu,
                                            ConvolutionVariant variant, Precision precision) {
  return if_implemented([&] {
    const Geometry g(z, variant, precision.operands);
    const auto pd = forward_convolution(engine, g, bias, algorithm_of(variant), attributes(relu, false), precision);
    Prepared prepared{pd.impl_info_str(),
                      dnnl::convolution_forward(pd),
                      {{DNNL_ARG_SRC, g.x, pd.src_desc()}, {DNNL_ARG_WEIGHTS, g.w, pd.weights_desc()}},
                      {{DNNL_ARG_DST, g.y, pd.dst_desc()}},
                      pd.scratchpad_desc()};
    if (bias) prepared.inputs.push_back({DNNL_ARG_BIAS, g.b, pd.bias_desc()});
    return prepared;
  });
}

std::optional<Prepared> convolution_backward_input(const dnnl::engine& engine, const ConvolutionSizes& z,
                                                   ConvolutionVariant variant, Precision precision) {
  using Convolution = dnnl::convolution_backward_data;
  return if_implemented([&] {
    const Geometry g(z, variant, precision.operands);
    const auto attr = attributes(false, false);
    const auto hint =
        forward_convolution(engine, Geometry(z, anything, precision.operands), false, algorithm_of(variant), attr, {});
    const Convolution::desc desc(algorithm_of(variant), result(g.free_x, precision), g.free_w, g.free_y, g.strides,
                                 g.dilation, g.padding, g.padding);
    const Convolution::primitive_desc pd(desc, attr, engine, hint);
    return Prepared{pd.impl_info_str(),
                    Convolution(pd),
                    {{DNNL_ARG_DIFF_DST, g.y, pd.diff_dst_desc()}, {DNNL_ARG_WEIGHTS, g.w, pd.weights_desc()}},
                    {{DNNL_ARG_DIFF_SRC, g.x, pd.diff_src_desc()}},
                    pd.scratchpad_desc()};
  });
}

std::optional<Prepared> convolution_backward_weight(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias,
                                                    ConvolutionVariant variant, Precision precision) {
  using Convolution = dnnl::convolution_backward_weights;
  return if_implemented([&] {
    const Geometry g(z, variant, precision.operands);
    const auto attr = attributes(false, false);
    const auto hint =
        forward_convolution(engine, Geometry(z, anything, precision.operands), bias, algorithm_of(variant), attr, {});
    const auto algorithm = algorithm_of(variant);
    const auto w = result(g.free_w, precision), b = result(g.b, precision);
    const auto desc =
        bias ? Convolution::desc(algorithm, g.free_x, w, b, g.free_y, g.strides, g.dilation, g.padding, g.padding)
             : Convolution::desc(algorithm, g.free_x, w, g.free_y, g.strides, g.dilation, g.padding, g.padding);
    const Convolution::primitive_desc pd(desc, attr, engine, hint);
    Prepared prepared{pd.impl_info_str(),
                      Convolution(pd),
                      {{DNNL_ARG_SRC, g.x, pd.src_desc()}, {DNNL_ARG_DIFF_DST, g.y, pd.diff_dst_desc()}},
                      {{DNNL_ARG_DIFF_WEIGHTS, g.w, pd.diff_weights_desc()}},
                      pd.scratchpad_desc()};
    if (bias) prepared.outputs.push_back({DNNL_ARG_DIFF_BIAS, g.b, pd.diff_bias_desc()});
    return prepared;
  });
}

std::optional<Prepared> inner_product_forward(const dnnl::engine& engine, const LinearSizes& z, bool bias, bool relu,
                                              bool free_weights, Precision precision) {
  using Inner = dnnl::inner_product_forward;
  return if_implemented([&] {
    const auto dtype = precision.operands;
    const auto x = dense({z.n, z.in}, dtype), w = dense({z.out, z.in}, dtype), b = dense({z.out}, dtype);
    const auto y = dense({z.n, z.out}, precision.results), free_w = free_or_given(w, free_weights);
    constexpr auto kind = dnnl::prop_kind::forward_training;
    const auto desc = bias ? Inner::desc(kind, x, free_w, b, result(y, precision))
                           : Inner::desc(kind, x, free_w, result(y, precision));
    const Inner::primitive_desc pd(desc, attributes(relu, false), engine);
    Prepared prepared{pd.impl_info_str(),
                      Inner(pd),
                      {{DNNL_ARG_SRC, x, pd.src_desc()}, {DNNL_ARG_WEIGHTS, w, pd.weights_desc()}},
                      {{DNNL_ARG_DST, y, pd.dst_desc()}},
                      pd.scratchpad_desc()};
    if (bias) prepared.inputs.push_back({DNNL_ARG_BIAS, b, pd.bias_desc()});
    return prepared;
  });
}

std::optional<Prepared> matrix_product(const dnnl::engine& engine, const Product& product, Precision precision) {
  return if_implemented([&]() -> std::optional<Prepared> {
    const auto factor = [&](std::int64_t rows, std::int64_t columns, bool transposed) {
      return memory::desc({rows, columns}, type_of(precision.operands), transposed ? Tag::ba : Tag::ab);
    };
    const auto left = factor(product.rows, product.depth, product.left.transposed);
    const auto right = factor(product.depth, product.columns, product.right.transposed);
    auto right_read = free_or_given(right, product.right_layout == FactorLayout::packed);
    if (product.right_layout == FactorLayout::padded) {
      const auto padded = with_padded_rows(right, product.right.transposed);
      if (!padded) return std::nullopt;
      right_read = *padded;
    }
    const auto y = dense({product.rows, product.columns}, precision.results);
    const auto b = dense({1, product.columns}, precision.operands);
    const auto made = product.add ? y : result(y, precision);
    const auto desc =
        product.bias ? dnnl::matmul::desc(left, right_read, b, made) : dnnl::matmul::desc(left, right_read, made);
    const dnnl::matmul::primitive_desc pd(desc, attributes(product.relu, product.add), engine);
    Prepared prepared{pd.impl_info_str(),
                      dnnl::matmul(pd),
                      {{DNNL_ARG_SRC, left, pd.src_desc()}, {DNNL_ARG_WEIGHTS, right, pd.weights_desc()}},
                      {{DNNL_ARG_DST, y, pd.dst_desc()}},
                      pd.scratchpad_desc(),
                      product.add};
    if (product.left.operand > product.right.operand) std::swap(prepared.inputs[0], prepared.inputs[1]);
    if (product.bias) prepared.inputs.push_back({DNNL_ARG_BIAS, b, pd.bias_desc()});
    return prepared;
  });
}

void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, float scale, Matrix a, Matrix b, bool add,
              float* c, std::int64_t c_row) {
  const auto letter = [](const Matrix& matrix) { return matrix.transposed ? 'T' : 'N'; };
  dnnl::error::wrap_c_api(dnnl_sgemm(letter(a), letter(b), rows, columns, depth, scale, a.data, a.row, b.data, b.row,
                                     add ? 1.0f : 0.0f, c, c_row),
                          "a oneDNN product failed");
}

Call::Call(const dnnl::engine& engine, dnnl::primitive primitive, const std::vector<Argument>& arguments)
    : primitive_(std::move(primitive)), addresses_(arguments.size(), nullptr) {
  for (const Argument& argument : arguments) {
    memories_.push_back(dnnl::memory(argument.layout, engine, DNNL_MEMORY_NONE));
    arguments_.push_back({argument.argument, memories_.back().get()});
  }
}

Call Call::reorder(const dnnl::engine& engine, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  const dnnl::reorder::primitive_desc pd(engine, from, engine, to, attributes(false, false));
  require(bytes_of(pd.scratchpad_desc()) == 0, "a reorder on the CPU needs a scratchpad");
  require_memory_for_code();
  return {engine, dnnl::reorder(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
}

void Call::set(std::size_t index, void* address) {
  // Setting an address clears the layout's padding, so it is done once for each new address.
  if (addresses_[index] == address) return;
  memories_[index].set_data_handle(address);
  addresses_[index] = address;
}

void Call::run(dnnl::stream& stream) const {
  const auto count = static_cast<int>(arguments_.size());
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive_.get(), stream.get(), count, arguments_.data()),
                          "a oneDNN primitive failed");
}

std::size_t bytes_of(const dnnl::memory::desc& layout) {
  return layout.get_size();
}

std::int64_t elements_of(const dnnl::memory::desc& layout) {
  return graph::elements(layout.dims());
}

graph::DType dtype_of(const dnnl::memory::desc& layout) {
  return layout.data_type() == memory::data_type::bf16 ? graph::DType::bf16 : graph::DType::f32;
}

memory::desc in_f32(memory::desc layout) {
  layout.data.data_type = dnnl_f32;
  return layout;
}

}  // namespace ddlbench::kernels::cpu::onednn
