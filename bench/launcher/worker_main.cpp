#include "bench/launcher/worker_main.h"

#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <iterator>
#include <string>

#include "bench/launcher/share.h"
#include "comm/communicator.h"
#include "comm/process_place.h"
#include "platform/host_name.h"
#include "platform/pauses.h"

namespace ddlbench::bench {

namespace {

constexpr std::chrono::seconds time_to_start{60};

/// Sends the messages of a rank. If the supervisor has ended, SIGPIPE ends this process.
class MessageSender final : public Progress {
 public:
  MessageSender(int descriptor, int rank) : descriptor_(descriptor), rank_(rank) {}
  void say(const Message& message) { write_message(descriptor_, rank_, message); }
  void alive(const std::string& phase, double fraction) override { say(Alive{phase, fraction}); }
  void epoch(const EpochRecord& record) override { say(record); }
  void validation(const ValidationRecord& record) override { say(record); }
  void rank(const RankRecord& record) override { say(record); }

 private:
  int descriptor_;
  int rank_;
};

/// Redirects standard output to standard error and returns a descriptor for messages. It is close-on-exec: programs
/// that the case starts must not keep the supervisor's pipe open.
int take_standard_output() {
  const int messages = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return messages;
}

Message run_requested(const CaseRunner& run, const std::string& request, bool one_of_several, MessageSender& sender) {
  try {
    return run_to_message(run, decode_request(one_of_several ? share(request, {time_to_start}) : request), sender);
  } catch (const comm::CommunicationError& error) {
    return Failure{Status::failed, std::string("the ranks could not connect: ") + error.what()};
  }
}

}  // namespace

int worker_main(const CaseRunner& run) {
  platform::count_pauses();  // of time slices
  const auto place = comm::process_place();
  const int rank = place ? place->rank : 0;
  std::string request;
  if (rank == 0) request.assign(std::istreambuf_iterator<char>(std::cin), {});
  if (rank == 0 && request.empty()) {
    std::cerr << "ddlbench worker can only be started by `ddlbench run`\n";
    return 2;
  }
  MessageSender sender(take_standard_output(), rank);
  sender.say(Started{::getpid(), platform::host_name()});
  const Message last = run_requested(run, request, place.has_value(), sender);
  const bool failed = std::holds_alternative<Failure>(last);
  if (failed || rank == 0) sender.say(last);
  return failed ? 1 : 0;
}

}  // namespace ddlbench::bench
