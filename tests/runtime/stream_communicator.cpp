#include "runtime/stream_communicator.h"

#include <algorithm>
#include <thread>

#include "base/error.h"

namespace ddlbench::test {

namespace {

class StreamOperation final : public comm::Operation {
 public:
  StreamOperation(comm::OperationPtr inner, QueueDevice& device) : inner_(std::move(inner)), device_(device) {
    work_ = [this] {
      const bool begins = !running_;
      if (begins) {
        inner_->start();
        ++device_.communications_run;
      }
      running_ = !inner_->complete();
      // If communication has priority, it moves its bytes before anything else that is not waiting proceeds.
      const auto deadline =
          comm::Clock::now() + std::chrono::milliseconds(begins && device_.prefers_communication() ? 500 : 0);
      while (running_ && comm::Clock::now() < deadline) {
        std::this_thread::yield();
        running_ = !inner_->complete();
      }
      return !running_;
    };
  }
  void start() override {
    device_.put(graph::Stream::communication, &work_);
    ++device_.communications_reported;
  }
  void replayed() override { ++device_.communications_reported; }
  bool complete() override { throw ContractError("an operation on a stream is not asked for"); }
  void wait() override { device_.finish(); }
  Times times() const override { throw ContractError("an operation on a stream has no times"); }

 private:
  comm::OperationPtr inner_;
  QueueDevice& device_;
  std::function<bool()> work_;
  bool running_ = false;
};

class StreamCommunicator final : public comm::Communicator {
 public:
  StreamCommunicator(comm::Communicator& inner, QueueDevice& device) : inner_(inner), device_(device) {}
  StreamCommunicator(std::unique_ptr<comm::Communicator> inner, QueueDevice& device)
      : own_(std::move(inner)), inner_(*own_), device_(device) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::string transport() const override { return "stream"; }
  bool on_stream() const override { return true; }

  comm::OperationPtr all_reduce(const comm::Reduce& call) override {
    comm::Reduce real = call;
    real.input = device_.real(call.input);
    real.output = device_.real(call.output);
    real.workspace = device_.real(call.workspace);
    return put(inner_.all_reduce(real));
  }
  comm::OperationPtr reduce_scatter(const comm::Parts& call) override { return put(inner_.reduce_scatter(real(call))); }
  comm::OperationPtr all_gather(const comm::Parts& call) override { return put(inner_.all_gather(real(call))); }
  comm::OperationPtr all_to_all(const comm::Redistribute& call) override {
    comm::Redistribute real = call;
    real.input = device_.real(call.input);
    real.output = device_.real(call.output);
    return put(inner_.all_to_all(real));
  }
  comm::OperationPtr broadcast(const comm::Broadcast& call) override {
    comm::Broadcast real = call;
    real.data = device_.real(call.data);
    return put(inner_.broadcast(real));
  }
  comm::OperationPtr exchange(std::vector<comm::Outgoing> sends, std::vector<comm::Incoming> receives,
                              std::string label) override {
    const auto empty = [](const auto& message) { return message.bytes == 0; };
    if (std::all_of(sends.begin(), sends.end(), empty) && std::all_of(receives.begin(), receives.end(), empty)) {
      throw ContractError("an exchange of nothing puts nothing on a stream: it has no time");
    }
    for (comm::Outgoing& send : sends) send.data = device_.real(send.data);
    for (comm::Incoming& receive : receives) receive.data = device_.real(receive.data);
    return put(inner_.exchange(std::move(sends), std::move(receives), std::move(label)));
  }
  comm::OperationPtr barrier() override { return put(inner_.barrier()); }
  std::unique_ptr<comm::Communicator> split(const std::vector<int>& members) override {
    return std::make_unique<StreamCommunicator>(inner_.split(members), device_);
  }
  std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const override {
    return inner_.algorithms(kind);
  }
  std::int64_t workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm, std::int64_t count,
                               graph::DType dtype) const override {
    return inner_.workspace_bytes(kind, algorithm, count, dtype);
  }
  std::chrono::milliseconds timeout() const override { return inner_.timeout(); }
  void check() override { inner_.check(); }
  comm::SentBytes sent_bytes() const override { return inner_.sent_bytes(); }
  void abort(const std::string& reason) noexcept override { inner_.abort(reason); }

 private:
  comm::OperationPtr put(comm::OperationPtr inner) {
    return std::make_unique<StreamOperation>(std::move(inner), device_);
  }
  comm::Parts real(comm::Parts call) const {
    call.input = device_.real(call.input);
    call.output = device_.real(call.output);
    call.workspace = device_.real(call.workspace);
    return call;
  }

  std::unique_ptr<comm::Communicator> own_;
  comm::Communicator& inner_;
  QueueDevice& device_;
};

}  // namespace

std::unique_ptr<comm::Communicator> make_on_stream(comm::Communicator& inner, QueueDevice& device) {
  return std::make_unique<StreamCommunicator>(inner, device);
}

}  // namespace ddlbench::test
