#include <cmath>
#include <thread>
#include <vector>

#include "base/error.h"
#include "catch.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

std::unique_ptr<Dataset> open_synthetic(const OptionValues& options, Split split = Split::training) {
  const DatasetKind& kind = find_dataset("synthetic");
  return kind.open(with_defaults(kind.options, options), split);
}

struct ImageSample {
  std::vector<float> values;
  std::int32_t label = -1;
  bool operator==(const ImageSample&) const = default;
};

ImageSample values_of(const Dataset& data, std::int64_t index) {
  ImageSample sample;
  sample.values.resize(static_cast<std::size_t>(graph::elements(data.shape().sample.shape)));
  data.read({index}, sample.values.data(), &sample.label);
  return sample;
}

ImageSample read_image(const Dataset& data, std::int64_t index) {
  const ImageSample sample = values_of(data, index);
  std::int32_t alone = -1;
  data.read_labels({index}, &alone);
  CHECK(alone == sample.label);
  return sample;
}

TEST_CASE("synthetic samples are reproducible and differ between splits") {
  const OptionValues options{{"shape", std::string("3x5x7")}, {"classes", std::int64_t{4}}};
  const auto one = open_synthetic(options);
  const auto other = open_synthetic(options);
  REQUIRE(one->shape().sample == graph::TensorType{{3, 5, 7}, graph::DType::f32});
  REQUIRE(one->size() == 10000);
  for (const std::int64_t index : {0, 1, 9999}) CHECK(read_image(*one, index) == read_image(*other, index));
  CHECK_FALSE(read_image(*one, 0).values == read_image(*one, 1).values);
  CHECK_FALSE(read_image(*one, 0).values == read_image(*open_synthetic(options, Split::validation), 0).values);
}

TEST_CASE("cached synthetic samples equal computed ones, whichever thread reads them first") {
  const OptionValues plain{{"shape", std::string("3x5x7")}, {"classes", std::int64_t{4}}};
  OptionValues keeping = plain;
  keeping["keep"] = true;
  const auto computed = open_synthetic(plain), kept = open_synthetic(keeping);
  REQUIRE(kept->size() == computed->size());
  REQUIRE(kept->shape().sample == computed->shape().sample);
  std::vector<std::vector<ImageSample>> found(4);
  {
    std::vector<std::jthread> readers;
    for (auto& samples : found) {
      readers.emplace_back([&] {
        for (std::int64_t index = 0; index < 64; ++index) samples.push_back(values_of(*kept, index));
      });
    }
  }
  for (std::int64_t index = 0; index < 64; ++index) {
    const ImageSample wanted = read_image(*computed, index);
    CHECK(read_image(*kept, index) == wanted);
    for (const auto& samples : found) CHECK(samples[static_cast<std::size_t>(index)] == wanted);
  }

  const DatasetKind& kind = find_dataset("synthetic");
  CHECK(kind.identity(with_defaults(kind.options, keeping)) == kind.identity(with_defaults(kind.options, plain)));
}

TEST_CASE("caching more synthetic samples than the memory limit is rejected") {
  const OptionValues many{{"keep", true}, {"shape", std::string("3x224x224")}};
  REQUIRE_THROWS_WITH(open_synthetic(many), Catch::Matchers::Contains("10000 samples of 602112 bytes") &&
                                                Catch::Matchers::Contains("leave keep out"));
}

TEST_CASE("learnable synthetic samples of a class share a mean, in both splits") {
  for (const bool learnable : {true, false}) {
    const OptionValues options{{"shape", std::string("32")}, {"classes", std::int64_t{2}}, {"learnable", learnable}};
    // Mean of each class over each split; one row for each split and class.
    std::vector<std::vector<double>> means(4, std::vector<double>(32, 0));
    std::vector<int> counts(4, 0);
    for (const Split split : {Split::training, Split::validation}) {
      const auto data = open_synthetic(options, split);
      for (std::int64_t i = 0; i < 1000; ++i) {
        const ImageSample sample = read_image(*data, i);
        REQUIRE(sample.label >= 0);
        REQUIRE(sample.label < 2);
        const std::size_t row = (split == Split::validation ? 2u : 0u) + static_cast<std::size_t>(sample.label);
        ++counts[row];
        for (std::size_t j = 0; j < 32; ++j) means[row][j] += sample.values[j];
      }
    }
    const auto distance = [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t j = 0; j < 32; ++j) sum += std::pow(means[a][j] / counts[a] - means[b][j] / counts[b], 2);
      return std::sqrt(sum);
    };
    for (const int count : counts) CHECK(count > 400);
    CHECK(distance(0, 2) < 1);  // norm of 32 differences with standard deviation sqrt(2 / 500): about 0.36
    if (learnable) {
      CHECK(distance(0, 1) > 4);  // norm of 32 differences of variance 2: about 8
    } else {
      CHECK(distance(0, 1) < 1);
    }
  }
}

TEST_CASE("an invalid shape is rejected") {
  for (const char* shape : {"", "x", "3x", "x3", "0x3", "-1x2", "3,4", "3x4 ", "99999999999x1", "65536x65536"}) {
    INFO(shape);
    CHECK_THROWS_AS(open_synthetic({{"shape", std::string(shape)}}), InputError);
  }
}

}  // namespace
}  // namespace ddlbench::workloads
