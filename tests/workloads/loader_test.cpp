#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>
#include <set>

#include "base/error.h"
#include "catch.h"
#include "workloads/loader.h"

namespace ddlbench::workloads {
namespace {

/// A data set whose sample i is {i, i + 0.5} with label i. Sample `broken` cannot be read.
class Numbers final : public Dataset {
 public:
  explicit Numbers(std::int64_t size, std::int64_t broken = -1) : size_(size), broken_(broken) {}
  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return size_; }
  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    const std::int64_t index = draw.index;
    require(index < size_, "no such sample");
    if (index == broken_) throw BadData("sample " + std::to_string(index) + " is broken");
    const float pair[] = {static_cast<float>(index), static_cast<float>(index) + 0.5F};
    std::memcpy(values, pair, sizeof pair);
    *labels = static_cast<std::int32_t>(index);
    ++reads;
  }
  mutable std::atomic<int> reads{0};

 private:
  SampleShape shape_{{{2}, graph::DType::f32}, {}, 10};
  std::int64_t size_;
  std::int64_t broken_;
};

std::vector<std::int64_t> counted(std::int64_t size) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

float first_value(const Batch& batch, std::size_t sample) {
  float value = 0;
  std::memcpy(&value, batch.values.data() + sample * 2 * sizeof(float), sizeof value);
  return value;
}

TEST_CASE("an epoch's order is a permutation that depends only on seed, epoch and size") {
  const auto order = epoch_order(1, 0, 1000);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted == counted(1000));
  CHECK(order == epoch_order(1, 0, 1000));
  CHECK(order != epoch_order(1, 1, 1000));
  CHECK(order != epoch_order(2, 0, 1000));
  CHECK(epoch_order(1, 0, 0).empty());
  CHECK(epoch_order(1, 0, 1) == std::vector<std::int64_t>{0});
}

TEST_CASE("an epoch's order is uniform") {
  // Positions of sample 0 of 5 over 5000 epochs: each is expected 1000 times, standard deviation 28.
  std::vector<int> counts(5, 0);
  for (std::int64_t epoch = 0; epoch < 5000; ++epoch) {
    const auto order = epoch_order(7, epoch, 5);
    ++counts[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0) - order.begin())];
  }
  for (const int count : counts) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE("all draws of an epoch have one key, which differs between epochs") {
  const auto draws = epoch_draws(1, 0, {5, 3, 8});
  REQUIRE(draws.size() == 3);
  CHECK(draws[1].index == 3);
  CHECK(draws[2].key == draws[0].key);
  CHECK(draws == epoch_draws(1, 0, {5, 3, 8}));
  CHECK(draws[0].key != epoch_draws(1, 1, {5})[0].key);
  CHECK(draws[0].key != epoch_draws(2, 0, {5})[0].key);
  CHECK(plain_draws({5})[0] == SampleDraw{5, 0});
}

TEST_CASE("the slices of all ranks form the batch for any number of ranks") {
  const auto data = std::make_shared<Numbers>(50);
  const auto order = epoch_order(3, 0, 50);
  constexpr std::int64_t batch_size = 12;  // the fifth batch has 2 samples
  for (const int ranks : {1, 2, 3, 5}) {
    std::vector<std::unique_ptr<Loader>> loaders;
    for (int rank = 0; rank < ranks; ++rank) {
      const graph::Extent part = graph::part_of(batch_size, ranks, rank);
      loaders.push_back(std::make_unique<Loader>(data, batch_size, std::vector<Slice>{{part.begin, part.end}}));
      loaders.back()->begin(plain_draws(order));
    }
    for (std::int64_t k = 0; k < 5; ++k) {
      std::int64_t position = k * batch_size;
      for (const auto& loader : loaders) {
        const Batch* batch = loader->next();
        REQUIRE(batch != nullptr);
        CHECK(batch->count == (k < 4 ? 12 : 2));
        for (std::size_t i = 0; i < batch->labels.size(); ++i, ++position) {
          const bool real = position < 50;
          const std::int64_t sample = real ? order[static_cast<std::size_t>(position)] : -1;
          REQUIRE(batch->labels[i] == sample);
          REQUIRE(first_value(*batch, i) == (real ? static_cast<float>(sample) : 0.0F));
        }
      }
      CHECK(position == (k + 1) * batch_size);
    }
    for (const auto& loader : loaders) CHECK(loader->next() == nullptr);
  }
}

TEST_CASE("a part of several slices is their concatenation") {
  const auto data = std::make_shared<Numbers>(14);
  const auto order = counted(14);
  Loader loader(data, 8, {{2, 4}, {6, 8}});
  loader.begin(plain_draws(order));
  const Batch* batch = loader.next();
  REQUIRE(batch != nullptr);
  CHECK(batch->labels == std::vector<std::int32_t>{2, 3, 6, 7});
  CHECK(first_value(*batch, 2) == 6);
  batch = loader.next();
  REQUIRE(batch != nullptr);
  CHECK(batch->labels == std::vector<std::int32_t>{10, 11, -1, -1});
  CHECK(batch->samples == std::vector<std::int32_t>{10, 11, -1, -1});
  CHECK(batch->count == 6);
}

TEST_CASE("a loader can start over at any time and reuses its memory") {
  const auto data = std::make_shared<Numbers>(1000);
  Loader loader(data, 10, {{0, 10}}, {1, 2});
  CHECK(loader.next() == nullptr);
  std::vector<const std::byte*> places;
  for (int round = 0; round < 50; ++round) {
    loader.begin(plain_draws(epoch_order(1, round, 1000)));
    const auto order = epoch_order(1, round, 1000);
    for (int k = 0; k < round % 7; ++k) {
      const Batch* batch = loader.next();
      REQUIRE(batch != nullptr);
      REQUIRE(batch->labels[9] == order[static_cast<std::size_t>(k * 10 + 9)]);
      if (std::find(places.begin(), places.end(), batch->values.data()) == places.end()) {
        places.push_back(batch->values.data());
      }
    }
  }
  CHECK(places.size() <= 3);
}

TEST_CASE("a loader reads ahead no further than its prefetch depth") {
  const auto data = std::make_shared<Numbers>(100);
  {
    Loader loader(data, 1, {{0, 1}}, {1, 2});
    loader.begin(plain_draws(epoch_order(1, 0, 100)));
    REQUIRE(loader.next() != nullptr);
    REQUIRE(loader.next() != nullptr);
  }
  CHECK(data->reads <= 4);  // two returned, and two slots other than the one in use
}

TEST_CASE("batches do not depend on the number of workers") {
  const auto data = std::make_shared<Numbers>(103);
  const auto draws = epoch_draws(5, 1, epoch_order(5, 1, 103));
  const auto read_all = [&](const LoaderOptions& options) {
    Loader loader(data, 20, {{1, 8}, {11, 18}}, options);
    std::vector<Batch> batches;
    for (int round = 0; round < 2; ++round) {
      loader.begin(draws);
      while (const Batch* batch = loader.next()) batches.push_back(*batch);
    }
    return batches;
  };
  const std::vector<Batch> one = read_all({1, 2});
  REQUIRE(one.size() == 12);
  CHECK(one[0].samples[7] == draws[11].index);
  CHECK(one[5].count == 3);
  for (const LoaderOptions options :
       {LoaderOptions{0, 2}, LoaderOptions{2, 1}, LoaderOptions{4, 2}, LoaderOptions{64, 5}}) {
    INFO(options.workers << " workers, " << options.prefetch << " batches ahead");
    const std::vector<Batch> other = read_all(options);
    REQUIRE(other.size() == one.size());
    for (std::size_t k = 0; k < one.size(); ++k) {
      REQUIRE(other[k].values == one[k].values);
      REQUIRE(other[k].labels == one[k].labels);
      REQUIRE(other[k].samples == one[k].samples);
      REQUIRE(other[k].count == one[k].count);
    }
  }
}

TEST_CASE("every worker calls on_start with its index") {
  std::mutex mutex;
  std::multiset<int> started;
  const auto note = [&](int worker) {
    const std::lock_guard lock(mutex);
    started.insert(worker);
  };
  Loader(std::make_shared<Numbers>(20), 5, {{0, 5}}, {0, 1}, Contents::all, note);
  CHECK(started.empty());
  Loader(std::make_shared<Numbers>(20), 5, {{0, 5}}, {3, 1}, Contents::all, note);
  CHECK(started == std::multiset<int>{0, 1, 2});
}

TEST_CASE("loaders of labels or indices only return those of whole samples") {
  const auto data = std::make_shared<Numbers>(9);
  const auto draws = epoch_draws(2, 0, epoch_order(2, 0, 9));
  Loader all(data, 6, {{1, 5}}), labels(data, 6, {{1, 5}}, {}, Contents::labels),
      numbers(data, 6, {{1, 5}}, {2, 1}, Contents::numbers);
  for (Loader* loader : {&all, &labels, &numbers}) loader->begin(draws);
  for (int k = 0; k < 2; ++k) {
    const Batch *whole = all.next(), *labelled = labels.next(), *numbered = numbers.next();
    REQUIRE((whole != nullptr && labelled != nullptr && numbered != nullptr));
    CHECK(labelled->values.empty());
    CHECK(labelled->labels == whole->labels);
    CHECK(labelled->samples == whole->samples);
    CHECK(labelled->count == whole->count);
    CHECK(numbered->values.empty());
    CHECK(numbered->labels.empty());
    CHECK(numbered->samples == whole->samples);
    CHECK(numbered->count == whole->count);
  }
}

TEST_CASE("without workers a batch is read when it is requested") {
  const auto data = std::make_shared<Numbers>(100);
  Loader loader(data, 10, {{0, 10}}, {0, 2});
  loader.begin(plain_draws(counted(100)));
  CHECK(data->reads == 0);
  REQUIRE(loader.next() != nullptr);
  CHECK(data->reads == 10);
}

TEST_CASE("an error of reading is rethrown when its batch is requested") {
  for (const int workers : {0, 1, 4}) {
    INFO(workers << " workers");
    const auto data = std::make_shared<Numbers>(20, 13);
    Loader loader(data, 5, {{0, 5}}, {workers, 3});
    loader.begin(plain_draws(counted(20)));
    REQUIRE(loader.next() != nullptr);
    REQUIRE(loader.next() != nullptr);
    for (int again = 0; again < 2; ++again) {
      try {
        loader.next();
        FAIL("nothing was thrown");
      } catch (const BadData& error) {
        CHECK(std::string(error.what()) == "sample 13 is broken");
      }
    }
    loader.begin(plain_draws({1, 2, 3, 4, 5}));
    REQUIRE(loader.next() != nullptr);
    CHECK(loader.next() == nullptr);
  }
}

TEST_CASE("of several unreadable samples the first in order is reported") {
  const auto data = std::make_shared<Numbers>(50, 13);
  for (int round = 0; round < 20; ++round) {
    Loader loader(data, 50, {{0, 50}}, {4, 2});
    auto order = counted(50);
    order[30] = order[31] = 50;  // beyond the end: a different error
    std::swap(order[13], order[29]);
    loader.begin(plain_draws(order));
    CHECK_THROWS_AS(loader.next(), BadData);
  }
}

TEST_CASE("batches are allocated only between begin and release") {
  for (const int workers : {0, 1, 4}) {
    INFO(workers << " workers");
    Loader loader(std::make_shared<Numbers>(20), 4, {{0, 2}}, {workers, 3});
    const std::int64_t slots = workers == 0 ? 1 : 4;
    CHECK(loader.bytes() == slots * 2 * (8 + 4 + 4));  // two samples: two values, a label and an index each
    for (int round = 0; round < 3; ++round) {
      loader.begin(plain_draws(counted(20)));
      const Batch* batch = loader.next();
      REQUIRE(batch != nullptr);
      CHECK(batch->values.size() == 16);
      loader.release();
      CHECK(batch->values.capacity() + batch->labels.capacity() + batch->samples.capacity() == 0);
      CHECK(loader.next() == nullptr);
    }
  }
}

TEST_CASE("a slice outside the batch is a ContractError") {
  const auto data = std::make_shared<Numbers>(20);
  CHECK_THROWS_AS(Loader(data, 4, {{0, 5}}), ContractError);
  CHECK_THROWS_AS(Loader(data, 4, {{3, 2}}), ContractError);
}

}  // namespace
}  // namespace ddlbench::workloads
