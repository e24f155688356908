#include "comm/communicator.h"

#include <thread>
#include <utility>

namespace ddlbench::comm {

namespace {

std::string message(const std::string& operation, const std::string& what) {
  return operation.empty() ? what : operation + ": " + what;
}

}  // namespace

CommunicationError::CommunicationError(Kind kind, int rank, std::string operation, const std::string& what)
    : std::runtime_error(message(operation, what)), kind_(kind), rank_(rank), operation_(std::move(operation)) {}

void Communicator::watch(const std::function<std::int64_t()>& left, const std::string&) {
  while (left() != 0) {
    check();
    std::this_thread::yield();
  }
}

void run(const OperationPtr& operation) {
  operation->start();
  operation->wait();
}

}  // namespace ddlbench::comm
