#include <fmt/core.h>
#include <charconv>

#include "base/error.h"
#include "graph/random.h"
#include "workloads/datasets/cached_samples.h"
#include "workloads/datasets/datasets.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 30;

graph::Shape parse_shape(const std::string& text) {
  graph::Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::int64_t elements = 1;
  for (bool more = true; more;) {
    std::int64_t size = 0;
    const auto [after, error] = std::from_chars(at, end, size);
    more = after != end && *after == 'x';
    if (error != std::errc{} || size <= 0 || size > most_elements / elements || (after != end && !more)) {
      throw InputError(fmt::format(
          "synthetic: shape must be positive sizes such as \"1x28x28\", of at most {} elements in total, but is \"{}\"",
          most_elements, text));
    }
    elements *= size;
    shape.push_back(size);
    at = after + (more ? 1 : 0);
  }
  return shape;
}

/// Returns a number of a uniform distribution with mean 0 and variance 1.
float centred(std::uint32_t bits) {
  constexpr float width = 3.4641016F;  // sqrt(12)
  return (graph::unit_float(bits) - 0.5F) * width;
}

/// Random samples. Every value is a function of (split, sample, element) only, so all readers get the same.
class Synthetic final : public Dataset {
 public:
  Synthetic(SampleShape shape, std::int64_t size, bool learnable, Split split)
      : shape_(std::move(shape)),
        size_(size),
        learnable_(learnable),
        elements_(graph::elements(shape_.sample.shape)),
        noise_key_(
            graph::random_key(0, graph::Purpose::synthetic_data, split == Split::training ? "train" : "validation")),
        label_key_(
            graph::random_key(1, graph::Purpose::synthetic_data, split == Split::training ? "train" : "validation")),
        mean_key_(graph::random_key(0, graph::Purpose::synthetic_data, "class means")) {}

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return size_; }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    const std::int64_t index = draw.index;
    require(index >= 0 && index < size_, "synthetic: sample index outside the data set");
    const auto sample = static_cast<std::uint64_t>(index);
    const std::uint32_t label = label_of(index);
    auto* to = static_cast<float*>(values);
    for (std::int64_t i = 0; i < elements_; i += 4) {
      const auto block = static_cast<std::uint64_t>(i);
      const graph::Philox noise = graph::philox(noise_key_, sample, block);
      graph::Philox mean{};
      if (learnable_) mean = graph::philox(mean_key_, label, block);
      for (std::int64_t j = 0; j < 4 && i + j < elements_; ++j) {
        to[i + j] = centred(noise.v[j]) + (learnable_ ? centred(mean.v[j]) : 0.0F);
      }
    }
    *labels = static_cast<std::int32_t>(label);
  }

  void read_labels(const SampleDraw& draw, std::int32_t* labels) const override {
    require(draw.index >= 0 && draw.index < size_, "synthetic: sample index outside the data set");
    *labels = static_cast<std::int32_t>(label_of(draw.index));
  }

 private:
  std::uint32_t label_of(std::int64_t index) const {
    return graph::philox(label_key_, static_cast<std::uint64_t>(index), 0).v[0] %
           static_cast<std::uint32_t>(shape_.classes);
  }

  SampleShape shape_;
  std::int64_t size_;
  bool learnable_;
  std::int64_t elements_;
  std::uint64_t noise_key_;
  std::uint64_t label_key_;
  std::uint64_t mean_key_;
};

std::unique_ptr<Dataset> open_synthetic(const OptionValues& options, Split split) {
  const char* size = split == Split::training ? "train_samples" : "validation_samples";
  SampleShape shape;
  shape.sample.shape = parse_shape(value_of<std::string>(options, "shape"));
  shape.classes = static_cast<int>(value_of<std::int64_t>(options, "classes"));
  auto samples = std::make_unique<Synthetic>(std::move(shape), value_of<std::int64_t>(options, size),
                                             value_of<bool>(options, "learnable"), split);
  if (value_of<bool>(options, "keep")) return cache_samples(std::move(samples));
  return samples;
}

/// Cached or not, the samples are the same.
OptionValues synthetic_identity(const OptionValues& options) {
  OptionValues samples = options;
  samples.erase("keep");
  return samples;
}

}  // namespace

DatasetKind synthetic() {
  return {"synthetic",
          "random samples of any shape, computed when they are read, without files",
          {{"shape", std::string("1x28x28"), "shape of one sample"},
           {"classes", std::int64_t{10}, "number of classes", 2, {}, 1 << 20},
           {"train_samples", std::int64_t{10000}, "training samples", 1, {}, 1 << 30},
           {"validation_samples", std::int64_t{1000}, "validation samples", 1, {}, 1 << 30},
           {"learnable", true, "give the samples of a class a common mean; otherwise there is nothing to learn"},
           {"keep", false, "keep computed samples in memory, so that reading them costs almost nothing"}},
          open_synthetic,
          synthetic_identity};
}

}  // namespace ddlbench::workloads
