#include "kernels/cpu/winograd.h"

#include "graph/ops/conv2d.h"
#include "kernels/binding.h"
#include "kernels/cpu/winograd_weights.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

using namespace winograd;

/// The bias and ReLU that are applied to sums.
template <class T>
struct Epilogue {
  const T* bias = nullptr;
  bool relu = false;

  Lanes operator()(Lanes y, std::int64_t channel) const {
    if (bias != nullptr) y += load_vector<lanes>(bias + channel);
    if (relu) y = y < 0 ? Lanes{} : y;  // keeps NaN, like `activate`
    return y;
  }
};

/// Multiplies tiles_at_once tiles by the filters of channels_at_once outputs and sums over all input channels. `step`
/// is the distance between the sums of two tiles.
void sum_over_channels(const float* tiles, const float* filters, std::int64_t blocks, float* sums_of_tiles,
                       std::int64_t step) {
  Lanes sums[tiles_at_once][vectors_at_once] = {};
  for (std::int64_t block = 0; block < blocks; ++block, tiles += Transformed::group_floats) {
    for (int i = 0; i < lanes; ++i, filters += channels_at_once) {
      Lanes u[vectors_at_once];
      DDLBENCH_UNROLL_FULLY
      for (int v = 0; v < vectors_at_once; ++v) u[v] = load_vector<lanes>(filters + v * lanes);
      DDLBENCH_UNROLL_FULLY
      for (int t = 0; t < tiles_at_once; ++t) {
        DDLBENCH_UNROLL_FULLY
        for (int v = 0; v < vectors_at_once; ++v) sums[t][v] += tiles[t * lanes + i] * u[v];
      }
    }
  }
  DDLBENCH_UNROLL_FULLY
  for (int t = 0; t < tiles_at_once; ++t) {
    DDLBENCH_UNROLL_FULLY
    for (int v = 0; v < vectors_at_once; ++v) store_vector<lanes>(sums_of_tiles + t * step + v * lanes, sums[t][v]);
  }
}

/// A convolution of planes with `padding` around them: the forward pass or, with other weights, the gradients of
/// inputs. In each pass over a range of tiles, a thread transforms the filters of a slice of channels_at_once outputs,
/// and then computes these outputs for one chunk of tiles after another.
template <class T>
class Filtering : public Kernel {
 public:
  Filtering(int threads, const Binding& binding, const Planes& from, const Planes& to, std::int64_t padding,
            double flops)
      : threads_(threads),
        accumulate_(binding.accumulate),
        from_(from),
        to_(to),
        padding_(padding),
        flops_(flops),
        tiling_(to),
        tiles_per_pass_(tiling_.tiles_per_pass(from.channels, cache_floats)),
        transformed_(Transformed::by_tiles(from.blocks(), tiles_per_pass_)),
        filters_{from.blocks()} {}

  std::size_t workspace_bytes() const final {
    return sizeof(float) * static_cast<std::size_t>(transformed_.floats + threads_ * floats_of_thread());
  }
  double flops() const final { return flops_; }

 protected:
  /// `load(weights, out, in)` must load the weights from block `in` of the input channels to block `out` of the output
  /// channels.
  template <class Load>
  void run(const T* x, const Load& load, const Epilogue<T>& epilogue, T* y, void* workspace) const {
    float* const transformed = static_cast<float*>(workspace);
    for (Tiles tiles; tiles.end < tiling_.tiles();) {
      tiles = tiling_.pass_from(tiles.end, tiles_per_pass_);
      transform<InputTransform>(threads_, from_, tiling_, tiles, padding_, x, transformed_, transformed);
      const std::int64_t chunks = (tiles.count() + chunk_tiles - 1) / chunk_tiles;
      const std::int64_t work = from_.channels * to_.channels * tiles.count() * positions;
      parallel_parts(threads_, to_.channels / channels_at_once * chunks, work, [&](int part, auto begin, auto end) {
        float* const filters = transformed + transformed_.floats + part * floats_of_thread();
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t slice = i / chunks, chunk = i % chunks;
          if (i == begin || chunk == 0) make_filters(load, slice, filters);
          write_chunk(transformed, filters, tiles, chunk * chunk_tiles, slice, epilogue, y);
        }
      });
    }
  }

  const int threads_;
  const bool accumulate_;
  const Planes from_, to_;

 private:
  /// The distance between positions of a tile's products. As in Transformed, it is an odd number of vectors.
  static constexpr std::int64_t position_step = channels_at_once + lanes;
  static constexpr std::int64_t tile_step = positions * position_step;

  std::int64_t floats_of_thread() const { return filters_.floats() + chunk_tiles * tile_step; }

  void make_filters(const auto& load, std::int64_t slice, float* filters) const {
    for (std::int64_t in = 0; in < from_.blocks(); ++in) {
      for (int v = 0; v < vectors_at_once; ++v) {
        Weights weights;
        load(weights, slice * vectors_at_once + v, in);
        filters_.transform(weights, in, v, filters);
      }
    }
  }

  void write_chunk(const float* transformed, float* filters, Tiles tiles, std::int64_t first, std::int64_t slice,
                   const Epilogue<T>& epilogue, T* y) const {
    float* const products = filters + filters_.floats();
    const std::int64_t size = std::min(chunk_tiles, tiles.count() - first);
    for (int position = 0; position < positions; ++position) {
      for (std::int64_t t = 0; t < size; t += tiles_at_once) {
        sum_over_channels(
            transformed + position * transformed_.position_step + (first + t) / tiles_at_once * transformed_.group_step,
            filters + position * filters_.position_step(), filters_.blocks,
            products + t * tile_step + position * position_step, tile_step);
      }
    }
    for (std::int64_t t = 0; t < size; ++t)
      write_tile(products + t * tile_step, tiling_.place(tiles.begin + first + t), slice, epilogue, y);
  }

  void write_tile(const float* products, const Place& place, std::int64_t slice, const Epilogue<T>& epilogue,
                  T* y) const {
    const std::int64_t height = to_.h - place.y, width = to_.w - place.x;
    for (int v = 0; v < vectors_at_once; ++v) {
      const std::int64_t block = slice * vectors_at_once + v;
      T* const first = y + to_.offset(place.image, block, place.y, place.x);
      transform_2d<OutputTransform>(
          [&](int r, int c) { return load_vector<lanes>(products + (r * points + c) * position_step + v * lanes); },
          [&](int r, int c, Lanes values) {
            if (r < height && c < width)
              write_vector<lanes>(first + (r * to_.w + c) * lanes, epilogue(values, block * lanes), accumulate_);
          });
    }
  }

  const std::int64_t padding_;
  const double flops_;
  const Tiling tiling_;
  const std::int64_t tiles_per_pass_;
  const Transformed transformed_;
  const Filters filters_;
};

Planes planes_of_x(const ConvolutionSizes& z) {
  return {z.n, z.c, z.h, z.w};
}

Planes planes_of_y(const ConvolutionSizes& z) {
  return {z.n, z.k, z.p, z.q};
}

template <class T>
class Forward final : public Filtering<T> {
 public:
  Forward(int threads, const Binding& binding, const ConvolutionSizes& z)
      : Filtering<T>(threads, binding, planes_of_x(z), planes_of_y(z), z.padding, z.flops()),
        bias_(attributes_of<graph::Conv2d>(binding).bias),
        relu_(attributes_of<graph::Conv2d>(binding).activation == graph::Activation::relu) {}

  void launch(const Arguments& a) override {
    const std::int64_t step = this->from_.channels * taps;
    const auto load = [w = input_of<T>(a, 1), step](Weights& weights, std::int64_t out, std::int64_t in) {
      weights.load(w + out * lanes * step + in * lanes * taps, step);
    };
    const Epilogue<T> epilogue{bias_ ? input_of<T>(a, 2) : nullptr, relu_};
    this->run(input_of<T>(a, 0), load, epilogue, output_of<T>(a, 0), a.workspace);
  }

 private:
  const bool bias_, relu_;
};

template <class T>
class BackwardInput final : public Filtering<T> {
 public:
  BackwardInput(int threads, const Binding& binding, const ConvolutionSizes& z)
      : Filtering<T>(threads, binding, planes_of_y(z), planes_of_x(z), window - 1 - z.padding, z.flops()) {}

  void launch(const Arguments& a) override {
    const std::int64_t step = this->to_.channels * taps;
    const auto load = [w = input_of<T>(a, 1), step](Weights& weights, std::int64_t out, std::int64_t in) {
      weights.load(w + in * lanes * step + out * lanes * taps, step);
      weights.rotate();
    };
    this->run(input_of<T>(a, 0), load, {}, output_of<T>(a, 0), a.workspace);
  }
};

/// The gradients of weights: products summed over all tiles. If all sums fit in caches, each pass over a range of tiles
/// adds to them. Otherwise a pass covers all tiles, or as many as fit in `most_floats`, and computes sums for one slice
/// of channels_at_once outputs after another.
template <class T>
class BackwardWeight final : public Kernel {
 public:
  BackwardWeight(int threads, const Binding& binding, const ConvolutionSizes& z)
      : threads_(threads),
        accumulate_(binding.accumulate),
        bias_(attributes_of<graph::Conv2dBackwardWeight>(binding).bias),
        x_(planes_of_x(z)),
        dz_(planes_of_y(z)),
        padding_(z.padding),
        flops_(z.flops()),
        tiling_(dz_),
        tiles_per_pass_(
            tiling_.tiles_per_pass(x_.channels + dz_.channels, all_sums() <= cache_floats ? cache_floats : max_floats)),
        inputs_(Transformed::by_channels(x_.blocks(), tiles_per_pass_)),
        gradients_(Transformed::by_channels(dz_.blocks(), tiles_per_pass_)) {}

  std::size_t workspace_bytes() const override {
    const std::int64_t sums = is_one_pass() ? threads_ * filters_.floats() : all_sums();
    return sizeof(float) * static_cast<std::size_t>(inputs_.floats + gradients_.floats + sums);
  }
  double flops() const override { return flops_; }

  void launch(const Arguments& a) override {
    const T* const x = input_of<T>(a, 0);
    const T* const dz = input_of<T>(a, 1);
    float* const inputs = static_cast<float*>(a.workspace);
    float* const gradients = inputs + inputs_.floats;
    float* const sums = gradients + gradients_.floats;
    for (Tiles tiles; tiles.end < tiling_.tiles();) {
      tiles = tiling_.pass_from(tiles.end, tiles_per_pass_);
      transform<InputTransform>(threads_, x_, tiling_, tiles, padding_, x, inputs_, inputs);
      transform<OutputGradientTransform>(threads_, dz_, tiling_, tiles, 0, dz, gradients_, gradients);
      const std::int64_t work = x_.channels * dz_.channels * tiles.count() * positions;
      parallel_parts(threads_, batches() * x_.blocks(), work, [&](int part, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t in = i % x_.blocks(), first = i / x_.blocks() * slices_at_once();
          for (std::int64_t slice = first; slice < std::min(first + slices_at_once(), slices()); ++slice) {
            float* const filters = sums + (is_one_pass() ? part : slice * x_.blocks() + in) * filters_.floats();
            add_products(inputs + in * inputs_.block_step, gradients + slice * vectors_at_once * gradients_.block_step,
                         tiles, filters);
            if (tiles.end == tiling_.tiles()) write_weights(filters, slice, in, output_of<T>(a, 0));
          }
        }
      });
    }
    if (bias_) write_bias(dz, output_of<T>(a, 1));
  }

 private:
  static constexpr std::int64_t max_floats = 128'000'000 / sizeof(float);

  std::int64_t slices() const { return dz_.channels / channels_at_once; }
  /// Two slices at once halve the reads of inputs from memory. It is one slice if two would leave threads without work.
  std::int64_t slices_at_once() const { return slices() / 2 * x_.blocks() >= threads_ ? 2 : 1; }
  std::int64_t batches() const { return (slices() + slices_at_once() - 1) / slices_at_once(); }
  std::int64_t all_sums() const { return slices() * x_.blocks() * filters_.floats(); }
  bool is_one_pass() const { return tiles_per_pass_ == tiling_.tiles(); }

  void add_products(const float* inputs, const float* gradients, Tiles tiles, float* filters) const {
    for (int position = 0; position < positions; ++position) {
      for (int first = 0; first < lanes; first += inputs_at_once) {
        sum_over_tiles(inputs + position * inputs_.position_step + first,
                       gradients + position * gradients_.position_step, tiles,
                       filters + position * filters_.position_step() + first * channels_at_once);
      }
    }
  }

  static constexpr int inputs_at_once = std::min(lanes, 8);

  /// Writes sums in the first pass, and adds to them in the following ones.
  void sum_over_tiles(const float* inputs, const float* gradients, Tiles tiles, float* filters) const {
    Lanes sums[inputs_at_once][vectors_at_once] = {};
    for (std::int64_t t = 0; t < tiles.count(); ++t, inputs += lanes, gradients += lanes) {
      Lanes dm[vectors_at_once];
      DDLBENCH_UNROLL_FULLY
      for (int v = 0; v < vectors_at_once; ++v) dm[v] = load_vector<lanes>(gradients + v * gradients_.block_step);
      DDLBENCH_UNROLL_FULLY
      for (int i = 0; i < inputs_at_once; ++i) {
        DDLBENCH_UNROLL_FULLY
        for (int v = 0; v < vectors_at_once; ++v) sums[i][v] += inputs[i] * dm[v];
      }
    }
    DDLBENCH_UNROLL_FULLY
    for (int i = 0; i < inputs_at_once; ++i) {
      DDLBENCH_UNROLL_FULLY
      for (int v = 0; v < vectors_at_once; ++v)
        write_vector<lanes>(filters + i * channels_at_once + v * lanes, sums[i][v], tiles.begin > 0);
    }
  }

  void write_weights(const float* filters, std::int64_t slice, std::int64_t in, T* dw) const {
    const std::int64_t step = x_.channels * taps;
    for (int v = 0; v < vectors_at_once; ++v) {
      const std::int64_t out = slice * vectors_at_once + v;
      filters_.gradients(v, filters).store(dw + out * lanes * step + in * lanes * taps, step, accumulate_);
    }
  }

  void write_bias(const T* dz, T* db) const {
    parallel_for(threads_, dz_.blocks(), dz_.n * dz_.channels * dz_.h * dz_.w, [&](auto begin, auto end) {
      for (std::int64_t block = begin; block < end; ++block) {
        Lanes sum{};
        for (std::int64_t image = 0; image < dz_.n; ++image) {
          for (std::int64_t y = 0; y < dz_.h; ++y) {
            Lanes of_row{};
            const T* const row = dz + dz_.offset(image, block, y, 0);
            for (std::int64_t x = 0; x < dz_.w; ++x) of_row += load_vector<lanes>(row + x * lanes);
            sum += of_row;
          }
        }
        write_vector<lanes>(db + block * lanes, sum, accumulate_);
      }
    });
  }

  const int threads_;
  const bool accumulate_, bias_;
  const Planes x_, dz_;
  const std::int64_t padding_;
  const double flops_;
  const Tiling tiling_;
  const Filters filters_{1};
  const std::int64_t tiles_per_pass_;
  const Transformed inputs_, gradients_;
};

template <template <class T> class Convolution>
std::unique_ptr<Kernel> bind(int threads, const Binding& binding, const ConvolutionSizes& z) {
  if (binding.inputs[0].dtype == graph::DType::f32) return std::make_unique<Convolution<float>>(threads, binding, z);
  return std::make_unique<Convolution<own::Bfloat16>>(threads, binding, z);
}

}  // namespace

std::int64_t winograd_channel_block() {
  return lanes;
}

bool has_winograd(const ConvolutionSizes& z) {
  const bool fits = z.r == window && z.s == window && z.stride == 1 && z.dilation == 1 && z.groups == 1;
  const bool in_vectors = z.x_block == lanes && z.y_block == lanes;
  return fits && z.padding < window && in_vectors && z.c % channels_at_once == 0 && z.k % channels_at_once == 0 &&
         !z.empty();
}

std::unique_ptr<Kernel> winograd_forward(int threads, const Binding& binding, const ConvolutionSizes& z) {
  return bind<Forward>(threads, binding, z);
}

std::unique_ptr<Kernel> winograd_backward_input(int threads, const Binding& binding, const ConvolutionSizes& z) {
  return bind<BackwardInput>(threads, binding, z);
}

std::unique_ptr<Kernel> winograd_backward_weight(int threads, const Binding& binding, const ConvolutionSizes& z) {
  return bind<BackwardWeight>(threads, binding, z);
}

}  // namespace ddlbench::kernels::cpu
