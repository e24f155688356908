#include "workloads/corrupt.h"

#include <set>

#include "catch.h"

namespace ddlbench::workloads {
namespace {

/// A data set whose sample i has the draw's key as its value and label i. Some samples cannot be read.
class Files final : public Dataset {
 public:
  Files(std::int64_t size, std::set<std::int64_t> corrupt, bool checked_when_opened = false)
      : size_(size), corrupt_(std::move(corrupt)), checked_(checked_when_opened) {}
  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return size_; }
  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    if (corrupt_.count(draw.index) > 0) throw BadData("photo" + std::to_string(draw.index) + ".jpeg: truncated");
    *static_cast<float*>(values) = static_cast<float>(draw.key);
    *labels = static_cast<std::int32_t>(draw.index);
  }
  bool may_be_corrupt() const override { return !checked_; }

 private:
  SampleShape shape_{{{1}, graph::DType::f32}, {}, 10};
  std::int64_t size_;
  std::set<std::int64_t> corrupt_;
  bool checked_;
};

TEST_CASE("a data set without its corrupt samples has the others in order") {
  for (const int threads : {1, 4}) {
    const FilteredDataset sound = without_corrupt(std::make_shared<Files>(7, std::set<std::int64_t>{0, 4, 6}), threads);
    REQUIRE(sound.dataset->size() == 4);
    std::vector<std::int32_t> labels;
    for (std::int64_t i = 0; i < 4; ++i) {
      float key = 0;
      sound.dataset->read({i, 9}, &key, &labels.emplace_back());
      CHECK(key == 9);
      std::int32_t alone = 0;
      sound.dataset->read_labels({i, 9}, &alone);
      CHECK(alone == labels.back());
    }
    CHECK(labels == std::vector<std::int32_t>{1, 2, 3, 5});
    REQUIRE(sound.left_out.size() == 3);
    CHECK(sound.left_out[1].index == 4);
    CHECK(describe(sound, "training") ==
          "3 of 7 training samples cannot be read and are left out:\n"
          "  photo0.jpeg: truncated\n  photo4.jpeg: truncated\n  photo6.jpeg: truncated");
    CHECK(describe(sound, "training", 1) ==
          "3 of 7 training samples cannot be read and are left out:\n  photo0.jpeg: truncated\n  and 2 more");
  }
}

TEST_CASE("a data set without corrupt samples is returned unchanged") {
  const auto sound = std::make_shared<Files>(5, std::set<std::int64_t>{});
  CHECK(without_corrupt(sound, 2).dataset == sound);
  const auto checked = std::make_shared<Files>(5, std::set<std::int64_t>{1}, true);
  CHECK(without_corrupt(checked, 2).dataset == checked);
}

TEST_CASE("a data set whose samples are all corrupt is rejected") {
  CHECK_THROWS_WITH(without_corrupt(std::make_shared<Files>(2, std::set<std::int64_t>{0, 1}), 2),
                    "none of the 2 samples can be read; the first: photo0.jpeg: truncated");
}

}  // namespace
}  // namespace ddlbench::workloads
