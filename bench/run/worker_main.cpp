#include "bench/run/worker_main.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "bench/case/memory.h"
#include "bench/run/messages.h"
#include "bench/run/worker_request.h"
#include "comm/communicator.h"
#include "graph/error.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

namespace {

/// A supervisor that is gone ends this process by SIGPIPE.
void send(const Message& message) {
  const std::string line = encode(message) + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::write(worker_message_descriptor, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "sending a message");
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

constexpr const char* no_memory =
    "host memory could not be allocated; use a smaller global_batch or model, more machines, or a higher limit (ulimit "
    "-v)";

class MessageProgress : public Progress {
 public:
  void alive(const std::string& phase, double fraction) override { send(Alive{phase, fraction}); }
  void epoch(const EpochRecord& record) override { send(record); }
  void rank(const RankRecord& record) override { send(record); }
};

Status status_of(const comm::CommunicationError& error) {
  switch (error.kind()) {
    case comm::CommunicationError::Kind::timed_out:
      return Status::timed_out;
    case comm::CommunicationError::Kind::lost_rank:
      return Status::lost_rank;
    default:
      return Status::failed;
  }
}

Message run_to_message(const CaseRunner& run, const WorkerRequest& request) {
  MessageProgress progress;
  try {
    return run(request.experiment, request.which, request.trace_file, progress);
  } catch (const OutOfMemory& error) {
    return Failure{Status::out_of_memory, error.what()};
  } catch (const std::bad_alloc&) {
    return Failure{Status::out_of_memory, no_memory};
  } catch (const std::length_error&) {  // more than a container could ever hold
    return Failure{Status::out_of_memory, no_memory};
  } catch (const NonFinite& error) {
    return Failure{Status::non_finite, error.what()};
  } catch (const workloads::BadData& error) {
    return Failure{Status::bad_data, error.what()};
  } catch (const strategies::Unsupported& error) {
    return Failure{Status::unsupported, error.what()};
  } catch (const comm::CommunicationError& error) {
    return Failure{status_of(error), error.what()};
  } catch (const ContractError& error) {
    return Failure{Status::failed, std::string("a defect of ddlbench: ") + error.what()};
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return Failure{Status::failed,
                   error.what() + std::string(no_thread ? ": no more threads; use fewer ranks, or allow "
                                                          "more processes (ulimit -u)"
                                                        : "")};
  } catch (const std::exception& error) {
    return Failure{Status::failed, error.what()};
  }
}

}  // namespace

int worker_main(const CaseRunner& run) {
  if (::fcntl(worker_message_descriptor, F_GETFD) < 0) {
    std::cerr << "ddlbench worker is started by `ddlbench run` alone\n";
    return 2;
  }
  // Programs that the case starts must not keep the supervisor's pipe open.
  ::fcntl(worker_message_descriptor, F_SETFD, FD_CLOEXEC);
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const Message last = run_to_message(run, decode_request(text));
  send(last);
  return std::holds_alternative<Measurement>(last) ? 0 : 1;
}

}  // namespace ddlbench::bench
