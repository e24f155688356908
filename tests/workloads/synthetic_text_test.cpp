#include <algorithm>
#include <set>

#include "base/error.h"
#include "catch.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

struct SyntheticText {
  std::vector<std::int32_t> tokens, labels;
  bool operator==(const SyntheticText&) const = default;
};

std::unique_ptr<Dataset> open_synthetic_text(std::int64_t classes, bool learnable, Split split = Split::training) {
  const DatasetKind& kind = find_dataset("synthetic-text");
  return kind.open(with_defaults(kind.options, {{"classes", classes},
                                                {"sequence_length", std::int64_t{64}},
                                                {"train_samples", std::int64_t{100}},
                                                {"learnable", learnable}}),
                   split);
}

SyntheticText read_synthetic(const Dataset& data, std::int64_t index) {
  SyntheticText sample{std::vector<std::int32_t>(64), std::vector<std::int32_t>(64)};
  data.read({index, 0}, sample.tokens.data(), sample.labels.data());
  return sample;
}

TEST_CASE("a synthetic text's samples are reproducible and differ from each other") {
  const auto one = open_synthetic_text(50257, true), other = open_synthetic_text(50257, true);
  CHECK(one->shape().sample == graph::TensorType{{64}, graph::DType::i32});
  CHECK(one->shape().label == graph::Shape{64});
  CHECK(one->shape().classes == 50257);
  CHECK(one->shape().is_text());
  CHECK(one->size() == 100);
  CHECK(open_synthetic_text(50257, true, Split::validation)->size() == 1000);
  CHECK(read_synthetic(*one, 7) == read_synthetic(*other, 7));
  CHECK_FALSE(read_synthetic(*one, 7) == read_synthetic(*one, 8));
  CHECK_FALSE(read_synthetic(*one, 7) == read_synthetic(*open_synthetic_text(50257, true, Split::validation), 7));
  CHECK_THROWS_AS(read_synthetic(*one, 100), ContractError);
}

TEST_CASE("a synthetic text's labels are the next tokens, and all tokens of the vocabulary occur") {
  std::set<std::int32_t> seen;
  for (const bool learnable : {false, true}) {
    const auto data = open_synthetic_text(11, learnable);
    for (std::int64_t i = 0; i < data->size(); ++i) {
      const SyntheticText sample = read_synthetic(*data, i);
      REQUIRE(std::equal(sample.tokens.begin() + 1, sample.tokens.end(), sample.labels.begin()));
      seen.insert(sample.labels.begin(), sample.labels.end());
      seen.insert(sample.tokens.begin(), sample.tokens.end());
    }
  }
  REQUIRE(seen.size() == 11);
  CHECK(*seen.begin() == 0);
  CHECK(*seen.rbegin() == 10);
}

TEST_CASE("half of the tokens of a learnable text follow from the previous one, and none of other texts") {
  for (const bool learnable : {false, true}) {
    const auto data = open_synthetic_text(50257, learnable);
    int follows = 0;
    for (std::int64_t i = 0; i < data->size(); ++i) {
      const SyntheticText sample = read_synthetic(*data, i);
      for (std::size_t t = 0; t < 64; ++t) follows += sample.labels[t] == (sample.tokens[t] * 1031 + 7) % 50257 ? 1 : 0;
    }
    CHECK(std::abs(follows - (learnable ? 3200 : 0)) < 200);  // of 6400; standard deviation 40
  }
}

}  // namespace
}  // namespace ddlbench::workloads
