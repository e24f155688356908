#include "workloads/loader.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "graph/error.h"

namespace ddlbench::workloads {

/// Batch k lies in slot k % slots; the worker runs ahead until every slot but the one handed out is full.
struct Loader::State {
  State(std::shared_ptr<const Dataset> data, std::int64_t batch, std::vector<Slice> parts, int depth)
      : dataset(std::move(data)), global_batch(batch), slices(std::move(parts)) {
    require(global_batch > 0 && depth > 0, "loader: the global batch and the depth must be positive");
    std::size_t samples = 0;
    for (const Slice& slice : slices) {
      require(slice.begin >= 0 && slice.begin <= slice.end && slice.end <= global_batch,
              "loader: a slice must lie in the global batch");
      samples += static_cast<std::size_t>(slice.end - slice.begin);
    }
    const SampleShape& shape = dataset->shape();
    sample_bytes = graph::bytes(shape.sample);
    for (const std::int64_t size : shape.label) labels_per_sample *= static_cast<std::size_t>(size);
    slots.resize(static_cast<std::size_t>(depth) + 1);
    for (Batch& slot : slots) {
      slot.values.resize(samples * sample_bytes);
      slot.labels.resize(samples * labels_per_sample);
    }
    worker = std::thread([this] { work(); });
  }

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    worker.join();
  }

  Batch& slot(std::int64_t batch) { return slots[static_cast<std::size_t>(batch) % slots.size()]; }

  void fill(Batch& batch, std::int64_t index) const {
    const auto total = static_cast<std::int64_t>(order.size());
    const std::int64_t first = index * global_batch;
    batch.count = std::min(global_batch, total - first) * static_cast<std::int64_t>(labels_per_sample);
    std::byte* values = batch.values.data();
    std::int32_t* labels = batch.labels.data();
    for (const Slice& slice : slices) {
      for (std::int64_t i = slice.begin; i < slice.end; ++i, values += sample_bytes, labels += labels_per_sample) {
        if (first + i < total) {
          dataset->read(order[static_cast<std::size_t>(first + i)], values, labels);
        } else {
          std::fill_n(values, sample_bytes, std::byte{0});
          std::fill_n(labels, labels_per_sample, -1);
        }
      }
    }
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] {
        return stopping ||
               (!error && produced < batches && produced - released < static_cast<std::int64_t>(slots.size()));
      });
      if (stopping) return;
      reading = true;
      const std::int64_t index = produced;
      lock.unlock();
      std::exception_ptr caught;
      try {
        fill(slot(index), index);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      reading = false;
      error = caught;
      if (!error) ++produced;
      changed.notify_all();
    }
  }

  std::shared_ptr<const Dataset> dataset;
  std::int64_t global_batch;
  std::vector<Slice> slices;
  std::size_t sample_bytes = 0;
  std::size_t labels_per_sample = 1;
  std::vector<Batch> slots;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::int64_t> order;
  std::int64_t batches = 0;
  std::int64_t produced = 0;  ///< batches that were filled
  std::int64_t handed = 0;    ///< batches that next() returned
  std::int64_t released = 0;  ///< batches that the caller is done with
  bool reading = false;
  bool stopping = false;
  std::exception_ptr error;
  std::thread worker;
};

Loader::Loader(std::shared_ptr<const Dataset> dataset, std::int64_t global_batch, std::vector<Slice> slices, int depth)
    : state_(std::make_unique<State>(std::move(dataset), global_batch, std::move(slices), depth)) {}

Loader::~Loader() = default;

void Loader::begin(std::vector<std::int64_t> order) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.batches = 0;
  s.changed.wait(lock, [&s] { return !s.reading; });
  s.order = std::move(order);
  s.batches = (static_cast<std::int64_t>(s.order.size()) + s.global_batch - 1) / s.global_batch;
  s.produced = s.handed = s.released = 0;
  s.error = nullptr;
  s.changed.notify_all();
}

const Batch* Loader::next() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  if (s.released != s.handed) {
    s.released = s.handed;
    s.changed.notify_all();
  }
  if (s.handed == s.batches) return nullptr;
  s.changed.wait(lock, [&s] { return s.produced > s.handed || s.error; });
  if (s.produced == s.handed) std::rethrow_exception(s.error);
  return &s.slot(s.handed++);
}

}  // namespace ddlbench::workloads
