#include "workloads/corrupt.h"

#include <fmt/core.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/printable.h"

namespace ddlbench::workloads {
namespace {

/// A subset of another data set.
class Selection final : public Dataset {
 public:
  Selection(std::shared_ptr<const Dataset> whole, std::vector<std::int64_t> indices)
      : whole_(std::move(whole)), indices_(std::move(indices)) {}

  const SampleShape& shape() const override { return whole_->shape(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(indices_.size()); }
  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    whole_->read(in_whole(draw), values, labels);
  }
  const graph::Normalisation* normalisation() const override { return whole_->normalisation(); }
  void read_bytes(const SampleDraw& draw, std::uint8_t* values, std::int32_t* labels) const override {
    whole_->read_bytes(in_whole(draw), values, labels);
  }
  void read_labels(const SampleDraw& draw, std::int32_t* labels) const override {
    whole_->read_labels(in_whole(draw), labels);
  }
  bool may_be_corrupt() const override { return true; }  // a file may still change

 private:
  SampleDraw in_whole(const SampleDraw& draw) const {
    require(draw.index >= 0 && draw.index < size(), "sample index outside the data set");
    return {indices_[static_cast<std::size_t>(draw.index)], draw.key};
  }

  std::shared_ptr<const Dataset> whole_;
  std::vector<std::int64_t> indices_;
};

std::vector<CorruptSample> find_corrupt(const Dataset& dataset, int threads) {
  std::mutex mutex;
  std::vector<CorruptSample> found;
  std::exception_ptr other;
  std::atomic<std::int64_t> next{0};
  const auto check = [&] {
    try {
      const SampleShape& shape = dataset.shape();
      std::vector<std::byte> values(graph::bytes(shape.sample));
      std::vector<std::int32_t> labels(static_cast<std::size_t>(graph::elements(shape.label)));
      for (std::int64_t i = next++; i < dataset.size(); i = next++) {
        try {
          dataset.read({i, 0}, values.data(), labels.data());
        } catch (const BadData& error) {
          const std::lock_guard lock(mutex);
          found.push_back({i, error.what()});
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      other = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back(check);
    check();
  }
  if (other) std::rethrow_exception(other);
  std::sort(found.begin(), found.end(),
            [](const CorruptSample& a, const CorruptSample& b) { return a.index < b.index; });
  return found;
}

}  // namespace

FilteredDataset without_corrupt(std::shared_ptr<const Dataset> dataset, int threads) {
  if (!dataset->may_be_corrupt()) return {std::move(dataset), {}};
  std::vector<CorruptSample> corrupt = find_corrupt(*dataset, threads);
  if (corrupt.empty()) return {std::move(dataset), {}};
  if (static_cast<std::int64_t>(corrupt.size()) == dataset->size()) {
    throw BadData(fmt::format("none of the {} samples can be read; the first: {}", corrupt.size(), corrupt[0].why));
  }
  std::vector<std::int64_t> sound;
  auto bad = corrupt.begin();
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    if (bad != corrupt.end() && bad->index == i) {
      ++bad;
    } else {
      sound.push_back(i);
    }
  }
  return {std::make_shared<Selection>(std::move(dataset), std::move(sound)), std::move(corrupt)};
}

std::string describe(const FilteredDataset& sound, const std::string& which, std::size_t most) {
  const std::size_t corrupt = sound.left_out.size();
  std::string text = fmt::format("{} of {} {} samples cannot be read and are left out:", corrupt,
                                 static_cast<std::size_t>(sound.dataset->size()) + corrupt, which);
  for (std::size_t i = 0; i < std::min(corrupt, most); ++i) text += "\n  " + printable(sound.left_out[i].why);
  if (corrupt > most) text += fmt::format("\n  and {} more", corrupt - most);
  return text;
}

}  // namespace ddlbench::workloads
