#include "kernels/cpu/few_rows.h"

#include <algorithm>

#include "graph/ops/linear.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::Bfloat16;
using own::to_f32;

constexpr int lanes = vector_lanes;
using Row = FloatVector<lanes>;

constexpr std::int64_t max_rows = 16;
constexpr std::int64_t min_weights = 1 << 18;  // fewer fit in a core's caches

template <int n>
using Count = std::integral_constant<int, n>;

/// Calls body(Count, begin) for pieces of [begin, end): pieces of `most` elements, a power of two, then smaller powers
/// of two for the rest.
template <int most, class Body>
void each_piece(std::int64_t begin, std::int64_t end, const Body& body) {
  for (; begin + most <= end; begin += most) body(Count<most>{}, begin);
  if constexpr (most > 1) each_piece<most / 2>(begin, end, body);
}

/// The layout of an f32 matrix that is packed in vectors: the vectors of all rows for the first columns, then those for
/// the next columns, and so on. Zeros fill the last vectors. A loop over columns reads it contiguously.
struct Packing {
  std::int64_t rows = 0, columns = 0;

  std::int64_t vectors() const { return (columns + lanes - 1) / lanes; }
  std::int64_t whole_vectors() const { return columns / lanes; }
  std::size_t bytes() const { return static_cast<std::size_t>(vectors() * rows * lanes) * sizeof(float); }
  float* at(void* packed, std::int64_t vector, std::int64_t row = 0) const {
    return static_cast<float*>(packed) + (vector * rows + row) * lanes;
  }
};

template <class T>
void pack(int threads, const Packing& packing, const T* matrix, void* packed) {
  const std::int64_t rest = packing.columns % lanes;
  parallel_for(threads, packing.vectors(), packing.rows * packing.columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      for (std::int64_t r = 0; r < packing.rows; ++r) {
        const T* from = matrix + r * packing.columns + v * lanes;
        float* to = packing.at(packed, v, r);
        if (v < packing.whole_vectors()) {
          store_vector<lanes>(to, load_vector<lanes>(from));
        } else {
          for (int l = 0; l < lanes; ++l) to[l] = l < rest ? to_f32(from[l]) : 0.0f;
        }
      }
    }
  });
}

/// The common base of the three products. The workspace contains the packed activations or their gradients.
class FewRows : public Kernel {
 public:
  FewRows(int threads, const Binding& binding, const LinearSizes& z)
      : threads_(threads), z_(z), packing_{z.n, z.in}, accumulate_(binding.accumulate) {}

  std::size_t workspace_bytes() const final { return packing_.bytes(); }
  double flops() const final { return z_.flops(); }

 protected:
  const int threads_;
  const LinearSizes z_;
  const Packing packing_;
  const bool accumulate_;
};

/// A copy of the last columns of `count` rows of weights: one vector per row, filled up with zeros.
template <class T>
struct LastColumns {
  T of[8 * lanes] = {};

  LastColumns(const T* weights, std::int64_t columns, std::int64_t count) {
    const std::int64_t rest = columns % lanes;
    for (std::int64_t i = 0; i < count; ++i) std::copy_n(weights + (i + 1) * columns - rest, rest, of + i * lanes);
  }
};

/// Outputs are computed in groups, and columns in panels. The activations of all rows for one panel stay in the L1
/// cache. While a group's weights of one panel are used, those of the next panel are prefetched.
constexpr std::int64_t group_outputs = 48;
constexpr std::int64_t panel_vectors = 32;

/// A tile has as many sums as fit in registers: AVX-512 and NEON have 32 vector registers, others 16.
constexpr int tile_rows = 4;
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int tile_outputs = 4;
#else
constexpr int tile_outputs = 2;
#endif

/// One vector of partial sums for each pair of a row of activations and a row of weights.
template <int rows, int outputs>
struct Tile {
  Row sums[rows][outputs] = {};

  /// `step` is the distance from one row of weights to the next, `ahead` the distance to the weights to prefetch, both
  /// in elements.
  template <class T>
  void add(const Packing& packing, const float* x, const T* weights, std::int64_t step, std::int64_t vectors,
           std::int64_t ahead) {
    for (std::int64_t v = 0; v < vectors; ++v, x += packing.rows * lanes, weights += lanes) {
      Row w[outputs];
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < outputs; ++o) {
        w[o] = load_vector<lanes>(weights + o * step);
        __builtin_prefetch(weights + o * step + ahead);
      }
      DDLBENCH_UNROLL_FULLY
      for (int r = 0; r < rows; ++r) {
        const Row activations = load_vector<lanes>(x + r * lanes);
        DDLBENCH_UNROLL_FULLY
        for (int o = 0; o < outputs; ++o) sums[r][o] += activations * w[o];
      }
    }
  }

  void add_sums_to(float* outputs_of_rows) const {
    DDLBENCH_UNROLL_FULLY
    for (int r = 0; r < rows; ++r) {
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < outputs; ++o) outputs_of_rows[r * group_outputs + o] += sum_of<lanes>(sums[r][o]);
    }
  }
};

template <class T, class Result>
class Forward final : public FewRows {
 public:
  Forward(int threads, const Binding& binding, const LinearSizes& z)
      : FewRows(threads, binding, z),
        bias_(attributes_of<graph::Linear>(binding).bias),
        activation_(attributes_of<graph::Linear>(binding).activation) {}

  void launch(const Arguments& a) override {
    pack(threads_, packing_, input_of<T>(a, 0), a.workspace);
    parallel_for(threads_, z_.out, z_.out * z_.in, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; begin += group_outputs) write_group(a, begin, std::min(group_outputs, end - begin));
    });
  }

 private:
  struct Sums {
    float of[max_rows][group_outputs] = {};
  };

  void write_group(const Arguments& a, std::int64_t first, std::int64_t size) const {
    Sums sums;
    const T* const weights = input_of<T>(a, 1) + first * z_.in;
    for (std::int64_t v = 0; v < packing_.vectors(); v += panel_vectors) add_panel(a, weights, size, v, sums);
    for (std::int64_t r = 0; r < z_.n; ++r) {
      for (std::int64_t o = 0; o < size; ++o) {
        const float b = bias_ ? to_f32(input_of<T>(a, 2)[first + o]) : 0.0f;
        own::store_one(output_of<Result>(a, 0) + r * z_.out + first + o, activate(activation_, sums.of[r][o] + b),
                       accumulate_);
      }
    }
  }

  void add_panel(const Arguments& a, const T* weights, std::int64_t size, std::int64_t v, Sums& sums) const {
    const std::int64_t end = std::min(v + panel_vectors, packing_.whole_vectors());
    const bool is_last = v + panel_vectors >= packing_.vectors();
    const std::int64_t ahead = is_last ? size * z_.in - v * lanes : panel_vectors * lanes;
    each_piece<tile_outputs>(0, size, [&](auto outputs, std::int64_t o) {
      const T* const rows_of_weights = weights + o * z_.in;
      each_piece<tile_rows>(0, z_.n, [&](auto rows, std::int64_t r) {
        Tile<rows, outputs> tile;
        tile.add(packing_, packing_.at(a.workspace, v, r), rows_of_weights + v * lanes, z_.in, end - v, ahead);
        if (is_last && packing_.whole_vectors() < packing_.vectors()) {
          const LastColumns<T> last(rows_of_weights, z_.in, outputs);
          tile.add(packing_, packing_.at(a.workspace, packing_.whole_vectors(), r), last.of, lanes, 1, 0);
        }
        tile.add_sums_to(sums.of[r] + o);
      });
    });
  }

  bool bias_;
  graph::Activation activation_;
};

/// The number of rows of weights, or of their gradients, that are processed together, each with its column of dz.
constexpr int weights_at_once = 8;

struct Factors {
  float of[max_rows][weights_at_once] = {};

  template <class T>
  Factors(const T* dz, const LinearSizes& z, std::int64_t first, std::int64_t count) {
    for (std::int64_t r = 0; r < z.n; ++r)
      for (std::int64_t o = 0; o < count; ++o) of[r][o] = to_f32(dz[r * z.out + first + o]);
  }
};

template <class T>
class BackwardInput final : public FewRows {
 public:
  using FewRows::FewRows;

  void launch(const Arguments& a) override {
    parallel_for(threads_, packing_.vectors(), z_.out * z_.in, [&](std::int64_t begin, std::int64_t end) {
      std::fill(packing_.at(a.workspace, begin), packing_.at(a.workspace, end), 0.0f);
      each_piece<weights_at_once>(0, z_.out, [&](auto count, std::int64_t o) { add_rows(count, a, o, begin, end); });
      write(a, begin, end);
    });
  }

 private:
  template <int count>
  void add_rows(Count<count>, const Arguments& a, std::int64_t o, std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t ahead = 8 * lanes;
    const T* const weights = input_of<T>(a, 1) + o * z_.in;
    const Factors factors(input_of<T>(a, 0), z_, o, count);
    const std::int64_t whole_end = std::min(end, packing_.whole_vectors());
    add<count>(factors, weights + begin * lanes, z_.in, whole_end - begin, ahead, packing_.at(a.workspace, begin));
    if (whole_end == end) return;
    const LastColumns<T> last(weights, z_.in, count);
    add<count>(factors, last.of, lanes, 1, 0, packing_.at(a.workspace, whole_end));
  }

  template <int count>
  void add(const Factors& factors, const T* weights, std::int64_t step, std::int64_t vectors, std::int64_t ahead,
           float* dx) const {
    for (std::int64_t v = 0; v < vectors; ++v, weights += lanes) {
      Row w[count];
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < count; ++o) {
        w[o] = load_vector<lanes>(weights + o * step);
        __builtin_prefetch(weights + o * step + ahead);
      }
      for (std::int64_t r = 0; r < z_.n; ++r, dx += lanes) {
        Row sum = load_vector<lanes>(dx);
        DDLBENCH_UNROLL_FULLY
        for (int o = 0; o < count; ++o) sum += w[o] * factors.of[r][o];
        store_vector<lanes>(dx, sum);
      }
    }
  }

  void write(const Arguments& a, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t r = 0; r < z_.n; ++r) {
      T* const dx = output_of<T>(a, 0) + r * z_.in;
      for (std::int64_t v = begin; v < end; ++v) {
        const float* const sums = packing_.at(a.workspace, v, r);
        const std::int64_t columns = std::min<std::int64_t>(lanes, z_.in - v * lanes);
        for (std::int64_t l = 0; l < columns; ++l) own::store_one(dx + v * lanes + l, sums[l], accumulate_);
      }
    }
  }
};

/// Gradients of at least this size are written past the caches: they would no longer be in a cache when they are next
/// read, which is after all other gradients are written.
constexpr std::size_t bytes_to_stream = std::size_t{4} << 20;

template <class T, class Result>
class BackwardWeight final : public FewRows {
 public:
  BackwardWeight(int threads, const Binding& binding, const LinearSizes& z)
      : FewRows(threads, binding, z),
        streams_(std::is_same_v<Result, float> && !accumulate_ && z.in % lanes == 0 &&
                 graph::bytes(binding.outputs[0]) >= bytes_to_stream) {}

  void launch(const Arguments& a) override {
    pack(threads_, packing_, input_of<T>(a, 0), a.workspace);
    auto* const gradient = output_of<Result>(a, 0);
    const bool streams = streams_ && reinterpret_cast<std::uintptr_t>(gradient) % sizeof(Row) == 0;
    parallel_for(threads_, z_.out, z_.out * z_.in, [&](std::int64_t begin, std::int64_t end) {
      each_piece<weights_at_once>(begin, end, [&](auto count, std::int64_t o) {
        const Factors factors(input_of<T>(a, 1), z_, o, count);
        write_rows<count>(factors, a.workspace, gradient + o * z_.in, streams);
      });
      if (streams) finish_streaming();
    });
  }

 private:
  template <int count>
  void write_rows(const Factors& factors, void* packed, Result* gradient, bool streams) const {
    const float* x = packing_.at(packed, 0);
    for (std::int64_t v = 0; v < packing_.vectors(); ++v) {
      Row sums[count] = {};
      for (std::int64_t r = 0; r < z_.n; ++r, x += lanes) {
        const Row activations = load_vector<lanes>(x);
        DDLBENCH_UNROLL_FULLY
        for (int o = 0; o < count; ++o) sums[o] += activations * factors.of[r][o];
      }
      DDLBENCH_UNROLL_FULLY
      for (int o = 0; o < count; ++o) write(sums[o], gradient + o * z_.in, v, streams);
    }
  }

  void write(Row sum, Result* gradient, std::int64_t v, bool streams) const {
    Result* const to = gradient + v * lanes;
    if constexpr (std::is_same_v<Result, float>) {
      if (streams) return stream(to, sum);
    }
    if (v < packing_.whole_vectors()) return write_vector<lanes>(to, sum, accumulate_);
    for (int l = 0; l < z_.in % lanes; ++l) own::store_one(to + l, sum[l], accumulate_);
  }

  bool streams_;
};

template <template <class T, class Result> class Product>
std::unique_ptr<Kernel> bind(int threads, const Binding& binding, const LinearSizes& z) {
  if (binding.inputs[0].dtype == graph::DType::f32) return std::make_unique<Product<float, float>>(threads, binding, z);
  if (binding.outputs[0].dtype == graph::DType::f32)
    return std::make_unique<Product<Bfloat16, float>>(threads, binding, z);
  return std::make_unique<Product<Bfloat16, Bfloat16>>(threads, binding, z);
}

}  // namespace

bool has_few_rows(const LinearSizes& z) {
  return z.n > 0 && z.n <= max_rows && z.in * z.out >= min_weights;
}

std::unique_ptr<Kernel> few_rows_linear(int threads, const Binding& binding, const LinearSizes& z) {
  return bind<Forward>(threads, binding, z);
}

std::unique_ptr<Kernel> few_rows_backward_input(int threads, const Binding& binding, const LinearSizes& z) {
  if (binding.inputs[0].dtype == graph::DType::f32) return std::make_unique<BackwardInput<float>>(threads, binding, z);
  return std::make_unique<BackwardInput<Bfloat16>>(threads, binding, z);
}

std::unique_ptr<Kernel> few_rows_backward_weight(int threads, const Binding& binding, const LinearSizes& z) {
  return bind<BackwardWeight>(threads, binding, z);
}

}  // namespace ddlbench::kernels::cpu
