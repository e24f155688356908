#include "workloads/datasets/cached_samples.h"

#include <fmt/core.h>
#include <cstring>
#include <mutex>

#include "base/error.h"

namespace ddlbench::workloads {
namespace {

constexpr std::size_t most_cached_bytes = std::size_t{4} << 30;

class CachedSamples final : public Dataset {
 public:
  explicit CachedSamples(std::unique_ptr<Dataset> data)
      : data_(std::move(data)),
        bytes_(graph::bytes(data_->shape().sample)),
        labels_(static_cast<std::size_t>(graph::elements(data_->shape().label))) {
    require(data_->normalisation() == nullptr, "keep: byte samples are not supported");
    if (data_->size() > static_cast<std::int64_t>(most_cached_bytes / bytes_)) {
      throw InputError(
          fmt::format("keep: {} samples of {} bytes exceed the {} that can be kept in memory: use fewer or smaller "
                      "samples, or leave keep out",
                      data_->size(), bytes_, most_cached_bytes));
    }
    samples_ = std::make_unique<Sample[]>(static_cast<std::size_t>(data_->size()));
  }

  const SampleShape& shape() const override { return data_->shape(); }
  std::int64_t size() const override { return data_->size(); }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    require(draw.index >= 0 && draw.index < size(), "a sample's index is outside the data set");
    Sample& sample = samples_[static_cast<std::size_t>(draw.index)];
    std::call_once(sample.once, [&] {
      sample.values.resize(bytes_);
      sample.labels.resize(labels_);
      data_->read(draw, sample.values.data(), sample.labels.data());
    });
    std::memcpy(values, sample.values.data(), sample.values.size());
    std::memcpy(labels, sample.labels.data(), sample.labels.size() * sizeof(std::int32_t));
  }
  void read_labels(const SampleDraw& draw, std::int32_t* labels) const override { data_->read_labels(draw, labels); }

 private:
  struct Sample {
    std::once_flag once;
    std::vector<std::byte> values;
    std::vector<std::int32_t> labels;
  };

  std::unique_ptr<Dataset> data_;
  std::size_t bytes_, labels_;  ///< of one sample
  std::unique_ptr<Sample[]> samples_;
};

}  // namespace

std::unique_ptr<Dataset> cache_samples(std::unique_ptr<Dataset> data) {
  return std::make_unique<CachedSamples>(std::move(data));
}

}  // namespace ddlbench::workloads
