#include "workloads/loader.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/error.h"

namespace ddlbench::workloads {

/// Batch k is in slot k % slots. Workers claim chunks of samples in order, and read ahead until every slot except the
/// one returned to the caller is full.
struct Loader::State {
  struct Slot {
    Batch batch;
    std::int64_t done = 0;  ///< chunks that have been read
  };

  State(std::shared_ptr<const Dataset> data, std::int64_t batch, const std::vector<Slice>& slices,
        const LoaderOptions& options, Contents wanted, const std::function<void(int)>& on_start)
      : dataset(std::move(data)), global_batch(batch), contents(wanted) {
    require(global_batch > 0 && options.workers >= 0 && options.prefetch > 0,
            "loader: the global batch and the batches ahead must be positive");
    require(dataset->size() <= std::numeric_limits<std::int32_t>::max(), "loader: too many samples to number");
    for (const Slice& slice : slices) {
      require(slice.begin >= 0 && slice.begin <= slice.end && slice.end <= global_batch,
              "loader: a slice must lie in the global batch");
      for (std::int64_t at = slice.begin; at < slice.end; ++at) positions.push_back(at);
    }
    const SampleShape& shape = dataset->shape();
    if (contents == Contents::all) sample_bytes = graph::bytes(shape.sample);
    if (contents == Contents::all_in_bytes)
      sample_bytes = static_cast<std::size_t>(graph::elements(shape.sample.shape));
    for (const std::int64_t size : shape.label) labels_per_sample *= static_cast<std::size_t>(size);
    slots.resize(options.workers == 0 ? 1 : static_cast<std::size_t>(options.prefetch) + 1);
    // Several chunks per worker, so that all workers finish a batch at nearly the same time.
    constexpr std::int64_t chunks_of_worker = 4;
    if (options.workers > 1) {
      const auto samples = static_cast<std::int64_t>(positions.size());
      chunks = std::clamp<std::int64_t>(samples, 1, chunks_of_worker * options.workers);
    }
    for (int i = 0; i < options.workers; ++i) {
      workers.emplace_back([this, on_start, i](const std::stop_token& stop) {
        if (on_start) on_start(i);
        work(stop);
      });
    }
  }

  ~State() {
    for (std::jthread& worker : workers) worker.request_stop();
  }

  void take_memory() {
    for (Slot& slot : slots) {
      slot.batch.values.resize(positions.size() * sample_bytes);
      if (contents != Contents::numbers) slot.batch.labels.resize(positions.size() * labels_per_sample);
      slot.batch.samples.resize(positions.size());
    }
  }

  /// Stops handing out chunks, and waits until no worker is reading.
  void stop(std::unique_lock<std::mutex>& lock) {
    batches = 0;
    progress.wait(lock, [this] { return reading == 0; });
  }

  Slot& slot(std::int64_t batch) { return slots[static_cast<std::size_t>(batch) % slots.size()]; }

  std::byte* values_of(Batch& batch, std::size_t i) const { return batch.values.data() + i * sample_bytes; }
  std::int32_t* labels_of(Batch& batch, std::size_t i) const { return batch.labels.data() + i * labels_per_sample; }

  void read(const SampleDraw& draw, Batch& batch, std::size_t i) const {
    switch (contents) {
      case Contents::all:
        return dataset->read(draw, values_of(batch, i), labels_of(batch, i));
      case Contents::all_in_bytes:
        return dataset->read_bytes(draw, reinterpret_cast<std::uint8_t*>(values_of(batch, i)), labels_of(batch, i));
      case Contents::labels:
        return dataset->read_labels(draw, labels_of(batch, i));
      case Contents::numbers:
        return;
    }
  }

  void fill(Batch& batch, std::int64_t index, std::int64_t chunk) const {
    const auto total = static_cast<std::int64_t>(order.size());
    const std::int64_t first = index * global_batch;
    if (chunk == 0) {
      batch.count = std::min(global_batch, total - first) * static_cast<std::int64_t>(labels_per_sample);
    }
    const auto samples = static_cast<std::int64_t>(positions.size());
    const auto end = static_cast<std::size_t>(samples * (chunk + 1) / chunks);
    for (auto i = static_cast<std::size_t>(samples * chunk / chunks); i < end; ++i) {
      const std::int64_t at = first + positions[i];
      if (at < total) {
        const SampleDraw& draw = order[static_cast<std::size_t>(at)];
        read(draw, batch, i);
        batch.samples[i] = static_cast<std::int32_t>(draw.index);
      } else {
        std::fill_n(values_of(batch, i), sample_bytes, std::byte{0});
        if (contents != Contents::numbers) std::fill_n(labels_of(batch, i), labels_per_sample, -1);
        batch.samples[i] = -1;
      }
    }
  }

  /// Returns whether the next chunk may be claimed. Chunks are numbered through the whole order.
  bool claimable() const {
    const std::int64_t batch = claimed / chunks;
    return !error && batch < batches && batch - released < static_cast<std::int64_t>(slots.size());
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (work_available.wait(lock, stop, [this] { return claimable(); }) && !stop.stop_requested()) {
      const std::int64_t claim = claimed++;
      Slot& target = slot(claim / chunks);
      if (claim % chunks == 0) target.done = 0;
      ++reading;
      lock.unlock();
      std::exception_ptr caught;
      try {
        fill(target.batch, claim / chunks, claim % chunks);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      --reading;
      ++target.done;
      if (caught && (!error || claim < error_at)) {
        error = caught;
        error_at = claim;
      }
      if (target.done == chunks || reading == 0) progress.notify_all();
    }
  }

  /// Waits for `batch`, which is the next one. All chunks before a failed one have been claimed, so once they have been
  /// read, `error` is the first error in the order.
  void await(std::unique_lock<std::mutex>& lock, std::int64_t batch) {
    progress.wait(lock, [&] {
      const bool whole = claimed >= (batch + 1) * chunks && slot(batch).done == chunks;
      return error ? reading == 0 : whole;
    });
    if (error && error_at < (batch + 1) * chunks) std::rethrow_exception(error);
  }

  std::shared_ptr<const Dataset> dataset;
  std::int64_t global_batch;
  Contents contents;
  std::vector<std::int64_t> positions;  ///< of this rank's samples in the global batch
  std::size_t sample_bytes = 0;
  std::size_t labels_per_sample = 1;
  std::int64_t chunks = 1;  ///< of a batch
  std::vector<Slot> slots;

  std::mutex mutex;
  std::condition_variable_any work_available;
  std::condition_variable progress;
  std::vector<SampleDraw> order;
  std::int64_t batches = 0;
  std::int64_t claimed = 0;   ///< chunks
  std::int64_t returned = 0;  ///< batches that next() has returned
  std::int64_t released = 0;  ///< batches that the caller has finished with
  int reading = 0;            ///< workers that are reading
  std::exception_ptr error;
  std::int64_t error_at = 0;          ///< chunk
  std::vector<std::jthread> workers;  ///< last member: they stop before what they use is destroyed
};

Loader::Loader(std::shared_ptr<const Dataset> dataset, std::int64_t global_batch, std::vector<Slice> slices,
               LoaderOptions options, Contents contents, const std::function<void(int)>& on_start)
    : state_(std::make_unique<State>(std::move(dataset), global_batch, slices, options, contents, on_start)) {}

Loader::~Loader() = default;

void Loader::begin(std::vector<SampleDraw> order) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.stop(lock);
  s.take_memory();
  s.order = std::move(order);
  s.batches = (static_cast<std::int64_t>(s.order.size()) + s.global_batch - 1) / s.global_batch;
  s.claimed = s.returned = s.released = 0;
  s.error = nullptr;
  s.work_available.notify_all();
}

void Loader::release() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.stop(lock);
  s.claimed = s.returned = s.released = 0;
  for (State::Slot& slot : s.slots) slot.batch = {};
}

std::int64_t Loader::bytes() const {
  const State& s = *state_;
  const std::size_t labels = s.contents == Contents::numbers ? 0 : s.labels_per_sample;
  const std::size_t sample = s.sample_bytes + (labels + 1) * sizeof(std::int32_t);
  return static_cast<std::int64_t>(s.slots.size() * s.positions.size() * sample);
}

const Batch* Loader::next() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  if (s.released != s.returned) {
    s.released = s.returned;
    s.work_available.notify_all();
  }
  if (s.returned == s.batches) return nullptr;
  State::Slot& slot = s.slot(s.returned);
  if (s.workers.empty()) {
    s.fill(slot.batch, s.returned, 0);
  } else {
    s.await(lock, s.returned);
  }
  ++s.returned;
  return &slot.batch;
}

}  // namespace ddlbench::workloads
