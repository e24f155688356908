#include "kernels/cpu/onednn.h"

#include <new>
#include <utility>

#include "graph/error.h"

// The library runs on OpenMP whether or not this room's own loops do: its run-time library is there.
extern "C" void omp_set_num_threads(int threads) __attribute__((weak));

namespace ddlbench::kernels::cpu::onednn {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

memory::desc dense(const memory::dims& dims) {
  constexpr Tag tags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd};
  return {dims, memory::data_type::f32, tags[dims.size() - 1]};
}

memory::desc free_or_dense(const memory::dims& dims, bool free) {
  return free ? memory::desc(dims, memory::data_type::f32, Tag::any) : dense(dims);
}

struct Geometry {
  explicit Geometry(const ConvolutionSizes& z, Freedom freedom)
      : x(dense({z.n, z.c, z.h, z.w})),
        w(dense({z.k, z.c, z.r, z.s})),
        b(dense({z.k})),
        y(dense({z.n, z.k, z.p, z.q})),
        free_x(free_or_dense(x.dims(), freedom.source)),
        free_w(free_or_dense(w.dims(), freedom.weights)),
        free_y(free_or_dense(y.dims(), freedom.destination)),
        strides{z.stride, z.stride},
        padding{z.padding, z.padding} {}
  memory::desc x, w, b, y;
  memory::desc free_x, free_w, free_y;
  memory::dims strides, padding;
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

/// `make` may find that the library has no such primitive: that is an answer, not an error. Throws
/// std::bad_alloc where memory is short, as a device does.
template <class Make>
std::optional<Prepared> if_implemented(Make&& make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_unimplemented) return std::nullopt;
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw;
  }
}

dnnl::convolution_forward::primitive_desc forward_convolution(const dnnl::engine& engine, const Geometry& g, bool bias,
                                                              const dnnl::primitive_attr& attr) {
  using Convolution = dnnl::convolution_forward;
  constexpr auto kind = dnnl::prop_kind::forward_training;
  constexpr auto direct = dnnl::algorithm::convolution_direct;
  const auto desc =
      bias ? Convolution::desc(kind, direct, g.free_x, g.free_w, g.b, g.free_y, g.strides, g.padding, g.padding)
           : Convolution::desc(kind, direct, g.free_x, g.free_w, g.free_y, g.strides, g.padding, g.padding);
  return {desc, attr, engine};
}

}  // namespace

std::string version() {
  const auto* v = dnnl::version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

void use_threads(int threads) {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads);
}

std::optional<Prepared> convolution_forward(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias, bool relu,
                                            Freedom freedom) {
  return if_implemented([&] {
    const Geometry g(z, freedom);
    const auto pd = forward_convolution(engine, g, bias, attributes(relu, false));
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
                                                   Freedom freedom) {
  using Convolution = dnnl::convolution_backward_data;
  return if_implemented([&] {
    const Geometry g(z, freedom);
    const auto attr = attributes(false, false);
    const auto hint = forward_convolution(engine, Geometry(z, {true, true, true}), false, attr);
    const Convolution::desc desc(dnnl::algorithm::convolution_direct, g.free_x, g.free_w, g.free_y, g.strides,
                                 g.padding, g.padding);
    const Convolution::primitive_desc pd(desc, attr, engine, hint);
    return Prepared{pd.impl_info_str(),
                    Convolution(pd),
                    {{DNNL_ARG_DIFF_DST, g.y, pd.diff_dst_desc()}, {DNNL_ARG_WEIGHTS, g.w, pd.weights_desc()}},
                    {{DNNL_ARG_DIFF_SRC, g.x, pd.diff_src_desc()}},
                    pd.scratchpad_desc()};
  });
}

std::optional<Prepared> convolution_backward_weight(const dnnl::engine& engine, const ConvolutionSizes& z, bool bias,
                                                    Freedom freedom) {
  using Convolution = dnnl::convolution_backward_weights;
  return if_implemented([&] {
    const Geometry g(z, freedom);
    const auto attr = attributes(false, false);
    const auto hint = forward_convolution(engine, Geometry(z, {true, true, true}), bias, attr);
    constexpr auto direct = dnnl::algorithm::convolution_direct;
    const auto desc =
        bias ? Convolution::desc(direct, g.free_x, g.free_w, g.b, g.free_y, g.strides, g.padding, g.padding)
             : Convolution::desc(direct, g.free_x, g.free_w, g.free_y, g.strides, g.padding, g.padding);
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
                                              bool free_weights) {
  using Inner = dnnl::inner_product_forward;
  return if_implemented([&] {
    const auto x = dense({z.n, z.in}), w = dense({z.out, z.in}), b = dense({z.out}), y = dense({z.n, z.out});
    const auto free_w = free_or_dense(w.dims(), free_weights);
    constexpr auto kind = dnnl::prop_kind::forward_training;
    const auto desc = bias ? Inner::desc(kind, x, free_w, b, y) : Inner::desc(kind, x, free_w, y);
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

std::optional<Prepared> matrix_product(const dnnl::engine& engine, const Product& product) {
  return if_implemented([&] {
    const auto factor = [](std::int64_t rows, std::int64_t columns, bool transposed) {
      return memory::desc({rows, columns}, memory::data_type::f32, transposed ? Tag::ba : Tag::ab);
    };
    const auto left = factor(product.rows, product.depth, product.left.transposed);
    const auto right = factor(product.depth, product.columns, product.right.transposed);
    const auto y = dense({product.rows, product.columns}), b = dense({1, product.columns});
    const auto desc = product.bias ? dnnl::matmul::desc(left, right, b, y) : dnnl::matmul::desc(left, right, y);
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
  require(bytes_of(pd.scratchpad_desc()) == 0, "a reorder on the CPU wants a scratchpad");
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

}  // namespace ddlbench::kernels::cpu::onednn
