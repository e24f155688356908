#include "comm/communicator.h"

#include <fmt/core.h>
#include <thread>
#include <utility>

namespace ddlbench::comm {

namespace {

std::string message(const std::string& operation, const std::string& what) {
  return operation.empty() ? what : fmt::format("{}: {}", operation, what);
}

}  // namespace

CommunicationError::CommunicationError(Kind kind, int rank, std::string operation, const std::string& what)
    : std::runtime_error(message(operation, what)), kind_(kind), rank_(rank), operation_(std::move(operation)) {}

void Communicator::watch(const std::function<std::int64_t()>& left, const std::string& label) {
  Clock::time_point changed = Clock::now();
  for (std::int64_t last = left(); last != 0;) {
    check();
    std::this_thread::yield();
    const std::int64_t now = left();
    if (now != last) {
      last = now;
      changed = Clock::now();
    } else if (Clock::now() - changed >= timeout()) {
      const std::string what = fmt::format(
          "rank {} waited {} ms for its own device, which did not finish: it is stuck, or the timeout "
          "(measure/timeout_seconds) is too short for this step",
          rank(), timeout().count());
      abort(message(label, what));
      throw CommunicationError(CommunicationError::Kind::timed_out, rank(), label, what);
    }
  }
}

void run(const OperationPtr& operation) {
  operation->start();
  operation->wait();
}

}  // namespace ddlbench::comm
