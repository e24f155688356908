#include "mirror.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "support.h"

namespace ddlbench::comm::testing {

namespace {

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}
std::int64_t bytes_of(const std::vector<std::int64_t>& counts, graph::DType dtype) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) *
         static_cast<std::int64_t>(graph::size_of(dtype));
}

/// The device memory for the ranges of one operation; overlapping ranges share it.
class Regions {
 public:
  explicit Regions(DeviceMemory& memory) : memory_(memory) {}
  ~Regions() {
    for (const Region& region : regions_) memory_.release(region.device);
  }
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  void reads(const void* host, std::int64_t bytes) { add(host, bytes, false); }
  void writes(void* host, std::int64_t bytes) { add(host, bytes, true); }

  /// Allocates the device memory. Called once all ranges are known.
  void allocate() {
    for (Region& region : regions_) {
      region.device = memory_.allocate(region.bytes());
      if (!region.written) before_.resize(std::max(before_.size(), region.bytes()));
    }
  }
  void* device(const void* host, std::int64_t bytes) const {
    if (bytes <= 0) return nullptr;
    for (const Region& region : regions_) {
      if (number_of(host) >= region.begin && number_of(host) < region.end)
        return static_cast<std::byte*>(region.device) + (number_of(host) - region.begin);
    }
    return nullptr;
  }

  void upload() {
    for (const Region& region : regions_) memory_.copy_in(region.device, region.host(), region.bytes());
  }
  void download() {
    for (const Range& range : written_)
      memory_.copy_out(range.host, device(range.host, range.bytes), size(range.bytes));
    for (const Region& region : regions_) {
      if (region.written) continue;
      memory_.copy_out(before_.data(), region.device, region.bytes());
      expect(std::memcmp(before_.data(), region.host(), region.bytes()) == 0, "an input is left as it was");
    }
  }

 private:
  struct Range {
    void* host = nullptr;
    std::int64_t bytes = 0;
  };
  struct Region {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool written = false;
    void* device = nullptr;
    std::size_t bytes() const { return end - begin; }
    void* host() const { return reinterpret_cast<void*>(begin); }
  };

  static std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

  void add(const void* host, std::int64_t bytes, bool written) {
    if (bytes <= 0) return;
    Region joined{number_of(host), number_of(host) + size(bytes), written, nullptr};
    if (written) written_.push_back({const_cast<void*>(host), bytes});
    const auto overlaps = [&](const Region& other) { return joined.begin < other.end && other.begin < joined.end; };
    for (auto other = regions_.begin(); other != regions_.end();) {
      if (!overlaps(*other)) {
        ++other;
        continue;
      }
      joined = {std::min(joined.begin, other->begin), std::max(joined.end, other->end),
                joined.written || other->written, nullptr};
      regions_.erase(other);
      other = regions_.begin();
    }
    regions_.push_back(joined);
  }

  DeviceMemory& memory_;
  std::vector<Region> regions_;
  std::vector<Range> written_;
  std::vector<std::byte> before_;
};
using RegionsPtr = std::unique_ptr<Regions>;

class MirrorOperation final : public Operation {
 public:
  MirrorOperation(RegionsPtr regions, OperationPtr device) : regions_(std::move(regions)), device_(std::move(device)) {}

  void start() override {
    regions_->upload();
    fetched_ = false;
    device_->start();
  }
  bool complete() override {
    if (!device_->complete()) return false;
    fetch();
    return true;
  }
  void wait() override {
    device_->wait();
    fetch();
  }
  bool done() const override { return fetched_; }
  Times times() const override { return device_->times(); }

 private:
  void fetch() {
    if (!fetched_) regions_->download();
    fetched_ = true;
  }

  RegionsPtr regions_;
  OperationPtr device_;
  bool fetched_ = false;
};

class Mirror final : public Communicator {
 public:
  Mirror(Communicator& device, DeviceMemory& memory) : device_(device), memory_(memory) {}
  Mirror(std::unique_ptr<Communicator> device, DeviceMemory& memory)
      : own_(std::move(device)), device_(*own_), memory_(memory) {}

  int rank() const override { return device_.rank(); }
  int size() const override { return device_.size(); }
  std::string transport() const override { return device_.transport(); }

  OperationPtr all_reduce(const Reduce& call) override {
    const std::int64_t bytes = bytes_of({call.count}, call.dtype);
    RegionsPtr regions = begin();
    regions->reads(call.input, bytes);
    regions->writes(call.output, bytes);
    regions->allocate();
    Reduce device = call;
    device.input = regions->device(call.input, bytes);
    device.output = regions->device(call.output, bytes);
    return end(std::move(regions), device_.all_reduce(device));
  }
  OperationPtr reduce_scatter(const Parts& call) override {
    return parts(call, bytes_of(call.counts, call.dtype), own_bytes(call), &Communicator::reduce_scatter);
  }
  OperationPtr all_gather(const Parts& call) override {
    return parts(call, own_bytes(call), bytes_of(call.counts, call.dtype), &Communicator::all_gather);
  }
  OperationPtr all_to_all(const Redistribute& call) override {
    const std::int64_t in = bytes_of(call.send_counts, call.dtype);
    const std::int64_t out = bytes_of(call.receive_counts, call.dtype);
    RegionsPtr regions = begin();
    regions->reads(call.input, in);
    regions->writes(call.output, out);
    regions->allocate();
    Redistribute device = call;
    device.input = regions->device(call.input, in);
    device.output = regions->device(call.output, out);
    return end(std::move(regions), device_.all_to_all(device));
  }
  OperationPtr broadcast(const Broadcast& call) override {
    const std::int64_t bytes = bytes_of({call.count}, call.dtype);
    RegionsPtr regions = begin();
    regions->writes(call.data, bytes);
    regions->allocate();
    Broadcast device = call;
    device.data = regions->device(call.data, bytes);
    return end(std::move(regions), device_.broadcast(device));
  }
  OperationPtr exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives, std::string label) override {
    RegionsPtr regions = begin();
    for (const Outgoing& outgoing : sends) regions->reads(outgoing.data, outgoing.bytes);
    for (const Incoming& incoming : receives) regions->writes(incoming.data, incoming.bytes);
    regions->allocate();
    for (Outgoing& outgoing : sends) outgoing.data = regions->device(outgoing.data, outgoing.bytes);
    for (Incoming& incoming : receives) incoming.data = regions->device(incoming.data, incoming.bytes);
    return end(std::move(regions), device_.exchange(std::move(sends), std::move(receives), std::move(label)));
  }
  OperationPtr barrier() override { return device_.barrier(); }
  std::unique_ptr<Communicator> split(const std::vector<int>& members) override {
    return std::make_unique<Mirror>(device_.split(members), memory_);
  }
  std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const override {
    return device_.algorithms(kind);
  }
  std::int64_t workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm, std::int64_t count,
                               graph::DType dtype) const override {
    return device_.workspace_bytes(kind, algorithm, count, dtype);
  }
  bool on_stream() const override { return device_.on_stream(); }
  std::chrono::milliseconds timeout() const override { return device_.timeout(); }
  void check() override { device_.check(); }
  void watch(const std::function<std::int64_t()>& left, const std::string& label) override {
    device_.watch(left, label);
  }
  SentBytes sent_bytes() const override { return device_.sent_bytes(); }
  void abort(const std::string& reason) noexcept override { device_.abort(reason); }

 private:
  RegionsPtr begin() const { return std::make_unique<Regions>(memory_); }
  static OperationPtr end(RegionsPtr regions, OperationPtr device) {
    return std::make_unique<MirrorOperation>(std::move(regions), std::move(device));
  }
  std::int64_t own_bytes(const Parts& call) const {
    return bytes_of({call.counts[static_cast<std::size_t>(rank())]}, call.dtype);
  }
  OperationPtr parts(const Parts& call, std::int64_t in, std::int64_t out,
                     OperationPtr (Communicator::*collective)(const Parts&)) {
    RegionsPtr regions = begin();
    regions->reads(call.input, in);
    regions->writes(call.output, out);
    regions->allocate();
    Parts device = call;
    device.input = regions->device(call.input, in);
    device.output = regions->device(call.output, out);
    return end(std::move(regions), (device_.*collective)(device));
  }

  std::unique_ptr<Communicator> own_;
  Communicator& device_;
  DeviceMemory& memory_;
};

}  // namespace

std::unique_ptr<Communicator> make_mirror(Communicator& device, DeviceMemory& memory) {
  return std::make_unique<Mirror>(device, memory);
}

}  // namespace ddlbench::comm::testing
