#include "kernels/head_loss.h"

#include <algorithm>
#include <array>

#include "graph/ops/linear.h"
#include "kernels/kernel_table.h"

namespace ddlbench::kernels {
namespace {

constexpr std::size_t alignment = 64;

std::size_t padded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The products of so many rows. `back` is null of the forward op.
struct Chunk {
  std::int64_t rows = 0;
  std::unique_ptr<Kernel> logits;
  std::unique_ptr<Kernel> back;
  std::unique_ptr<Kernel> back_adding;
};

/// What the three have in common: chunk by chunk, logits first.
class HeadKernel : public Kernel {
 public:
  HeadKernel(const Binding& binding, const BindProduct& bind, std::unique_ptr<LogitRows> rows)
      : z_(sizes_of_head_loss(binding, Storage::any_float)),
        rows_(std::move(rows)),
        accumulate_(binding.accumulate),
        x_(binding.inputs[0].dtype),
        chunk_rows_(rows_of_chunk(z_.vocabulary * element_bytes(), z_.n)),
        flops_(flops_of(binding)) {
    whole_ = make_chunk(bind, std::min(chunk_rows_, z_.n));
    if (chunk_rows_ > 0 && z_.n > chunk_rows_ && z_.n % chunk_rows_ != 0) rest_ = make_chunk(bind, z_.n % chunk_rows_);
  }

  void launch(const Arguments& a) override {
    const auto* labels = static_cast<const std::int32_t*>(a.inputs[2]);
    rows_->check(labels, {z_.n, z_.vocabulary});
    auto* base = static_cast<std::byte*>(a.workspace);
    std::int64_t begin = 0;
    do {
      const Chunk& chunk = z_.n - begin >= whole_.rows ? whole_ : rest_;
      const auto* x = static_cast<const std::byte*>(a.inputs[0]) + begin * z_.hidden * element_bytes();
      const std::array<const void*, 2> inputs{x, a.inputs[1]};
      const std::array<void*, 1> outputs{base};
      chunk.logits->launch({inputs.data(), outputs.data(), base + products_at(), a.scalars});
      use(a, chunk, begin, base);
      begin += chunk.rows;
    } while (begin < z_.n);
    finish(a, base);
  }
  std::size_t workspace_bytes() const override {
    return products_at() + std::max(workspace_of(whole_), workspace_of(rest_));
  }
  double flops() const override { return flops_; }

 protected:
  virtual void use(const Arguments& a, const Chunk& chunk, std::int64_t begin, std::byte* base) const = 0;
  virtual void finish(const Arguments&, std::byte*) const {}

  std::int64_t element_bytes() const { return static_cast<std::int64_t>(graph::size_of(x_)); }
  const std::int32_t* labels(const Arguments& a, std::int64_t begin) const {
    return static_cast<const std::int32_t*>(a.inputs[2]) + begin;
  }
  /// After the logits: what is kept of each row.
  std::size_t kept_at() const {
    return padded(static_cast<std::size_t>(chunk_rows_ * z_.vocabulary * element_bytes()));
  }
  std::size_t products_at() const { return kept_at() + padded(static_cast<std::size_t>(z_.n) * rows_->bytes_of_row()); }
  graph::TensorType of(graph::Shape shape) const { return {std::move(shape), x_}; }
  Chunk make_chunk(const BindProduct& bind, std::int64_t rows) const {
    const auto linear = std::make_shared<graph::Linear>(false, graph::Activation::none);
    Chunk chunk;
    chunk.rows = rows;
    chunk.logits =
        bind({linear, {of({rows, z_.hidden}), of({z_.vocabulary, z_.hidden})}, {of({rows, z_.vocabulary})}, false});
    return chunk;
  }
  static std::size_t workspace_of(const Chunk& chunk) {
    std::size_t bytes = 0;
    for (const Kernel* kernel : {chunk.logits.get(), chunk.back.get(), chunk.back_adding.get()})
      if (kernel != nullptr) bytes = std::max(bytes, kernel->workspace_bytes());
    return bytes;
  }
  template <class Make>
  void add_back(const Make& make) {
    for (Chunk* chunk : {&whole_, &rest_})
      if (chunk->logits) make(*chunk);
  }

  HeadSizes z_;
  std::unique_ptr<LogitRows> rows_;
  bool accumulate_;
  graph::DType x_;
  std::int64_t chunk_rows_;
  double flops_;
  Chunk whole_, rest_;
};

class Forward final : public HeadKernel {
 public:
  using HeadKernel::HeadKernel;

 private:
  void use(const Arguments& a, const Chunk& chunk, std::int64_t begin, std::byte* base) const override {
    std::byte* kept = base + kept_at() + static_cast<std::size_t>(begin) * rows_->bytes_of_row();
    rows_->measure(base, labels(a, begin), {chunk.rows, z_.vocabulary}, kept);
  }
  void finish(const Arguments& a, std::byte* base) const override {
    rows_->write(a, base + kept_at(), z_.n, accumulate_);
  }
};

class BackwardInput final : public HeadKernel {
 public:
  BackwardInput(const Binding& binding, const BindProduct& bind, std::unique_ptr<LogitRows> rows)
      : HeadKernel(binding, bind, std::move(rows)) {
    add_back([&](Chunk& chunk) {
      chunk.back = bind({std::make_shared<graph::LinearBackwardInput>(),
                         {of({chunk.rows, z_.vocabulary}), of({z_.vocabulary, z_.hidden})},
                         {of({chunk.rows, z_.hidden})},
                         accumulate_});
    });
  }

 private:
  void use(const Arguments& a, const Chunk& chunk, std::int64_t begin, std::byte* base) const override {
    rows_->differentiate(a.scalars, base, labels(a, begin), {chunk.rows, z_.vocabulary});
    const std::array<const void*, 2> inputs{base, a.inputs[1]};
    const std::array<void*, 1> outputs{static_cast<std::byte*>(a.outputs[0]) + begin * z_.hidden * element_bytes()};
    chunk.back->launch({inputs.data(), outputs.data(), base + products_at(), a.scalars});
  }
};

/// The first chunk writes, unless all are added; the others add.
class BackwardWeight final : public HeadKernel {
 public:
  BackwardWeight(const Binding& binding, const BindProduct& bind, std::unique_ptr<LogitRows> rows)
      : HeadKernel(binding, bind, std::move(rows)) {
    add_back([&](Chunk& chunk) {
      const auto product = [&](bool adds) {
        return bind({std::make_shared<graph::LinearBackwardWeight>(false),
                     {of({chunk.rows, z_.hidden}), of({chunk.rows, z_.vocabulary})},
                     {of({z_.vocabulary, z_.hidden})},
                     adds});
      };
      if (!accumulate_ && &chunk == &whole_) chunk.back = product(false);
      if (accumulate_ || z_.n > chunk_rows_) chunk.back_adding = product(true);
    });
  }

 private:
  void use(const Arguments& a, const Chunk& chunk, std::int64_t begin, std::byte* base) const override {
    rows_->differentiate(a.scalars, base, labels(a, begin), {chunk.rows, z_.vocabulary});
    const auto* x = static_cast<const std::byte*>(a.inputs[0]) + begin * z_.hidden * element_bytes();
    const std::array<const void*, 2> inputs{x, base};
    Kernel& product = begin == 0 && !accumulate_ ? *chunk.back : *chunk.back_adding;
    product.launch({inputs.data(), a.outputs, base + products_at(), a.scalars});
  }
};

}  // namespace

std::int64_t rows_of_chunk(std::int64_t bytes_of_row, std::int64_t rows) {
  constexpr std::int64_t most_bytes = std::int64_t{32} << 20, fewest_rows = 16;
  return std::min(rows, std::max(most_bytes / bytes_of_row, fewest_rows));
}

std::unique_ptr<Kernel> make_head_loss(const Binding& binding, const BindProduct& bind,
                                       std::unique_ptr<LogitRows> rows) {
  return std::make_unique<Forward>(binding, bind, std::move(rows));
}

std::unique_ptr<Kernel> make_head_loss_backward_input(const Binding& binding, const BindProduct& bind,
                                                      std::unique_ptr<LogitRows> rows) {
  return std::make_unique<BackwardInput>(binding, bind, std::move(rows));
}

std::unique_ptr<Kernel> make_head_loss_backward_weight(const Binding& binding, const BindProduct& bind,
                                                       std::unique_ptr<LogitRows> rows) {
  return std::make_unique<BackwardWeight>(binding, bind, std::move(rows));
}

}  // namespace ddlbench::kernels
