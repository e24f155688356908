#include "base/error.h"
#include "graph/random.h"
#include "workloads/datasets/datasets.h"

namespace ddlbench::workloads {
namespace {

/// Random tokens. Every token is a function of (split, sample, previous tokens) only, so all readers get the same.
class SyntheticText final : public Dataset {
 public:
  SyntheticText(std::int64_t vocabulary, std::int64_t length, std::int64_t size, bool learnable, Split split)
      : shape_{{{length}, graph::DType::i32}, {length}, static_cast<int>(vocabulary)},
        size_(size),
        learnable_(learnable),
        key_(graph::random_key(2, graph::Purpose::synthetic_data, split == Split::training ? "train" : "validation")) {}

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return size_; }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    require(draw.index >= 0 && draw.index < size_, "synthetic-text: sample index outside the data set");
    auto* const tokens = static_cast<std::int32_t*>(values);
    const std::int64_t length = shape_.sample.shape[0];
    std::uint32_t token = 0;
    for (std::int64_t i = 0; i <= length; ++i) {
      const graph::Philox random =
          graph::philox(key_, static_cast<std::uint64_t>(draw.index), static_cast<std::uint64_t>(i));
      token = i > 0 && learnable_ && random.v[1] % 2 == 0 ? successor(token) : random.v[0] % vocabulary();
      if (i < length) tokens[i] = static_cast<std::int32_t>(token);
      if (i > 0) labels[i - 1] = static_cast<std::int32_t>(token);
    }
  }

 private:
  std::uint32_t vocabulary() const { return static_cast<std::uint32_t>(shape_.classes); }
  /// Returns the token that follows `token`. Tokens are below 2^20, so the product fits 32 bits.
  std::uint32_t successor(std::uint32_t token) const { return (token * 1031 + 7) % vocabulary(); }

  SampleShape shape_;
  std::int64_t size_;
  bool learnable_;
  std::uint64_t key_;
};

std::unique_ptr<Dataset> open_synthetic_text(const OptionValues& options, Split split) {
  const auto of = [&options](const char* name) { return value_of<std::int64_t>(options, name); };
  return std::make_unique<SyntheticText>(of("classes"), of("sequence_length"),
                                         of(split == Split::training ? "train_samples" : "validation_samples"),
                                         value_of<bool>(options, "learnable"), split);
}

}  // namespace

DatasetKind synthetic_text() {
  return {"synthetic-text",
          "random tokens of any vocabulary, computed when they are read, without files",
          {{"classes", std::int64_t{50257}, "vocabulary size; by default GPT-2's", 2, {}, 1 << 20},
           {"sequence_length", std::int64_t{1024}, "tokens per sample", 1, {}, 1 << 20},
           {"train_samples", std::int64_t{10000}, "training samples", 1, {}, 1 << 30},
           {"validation_samples", std::int64_t{1000}, "validation samples", 1, {}, 1 << 30},
           {"learnable", true,
            "make half of the tokens follow from the previous one; otherwise there is nothing to learn"}},
          open_synthetic_text};
}

}  // namespace ddlbench::workloads
