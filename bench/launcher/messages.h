#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

// The processes of a case send messages to the supervisor on their standard output, in lines with a prefix that other
// output does not have. Everything else on standard output is the case's log, like its standard error. Rank 0 receives
// the request on its standard input.

/// A process has started. Names it in case it disappears.
struct Started {
  std::int64_t process = 0;
  std::string host;
};

struct Alive {
  std::string phase;
  double fraction = 0;  ///< of the whole case
};

/// A rank's process was killed; its parent reports this.
struct Killed {
  std::int64_t process = 0;
  std::string host;
  int signal = 0;
};

/// The case failed.
struct Failure {
  Status status = Status::failed;
  std::string reason;
  std::optional<int> rank = {};  ///< that was lost or did not respond, if that is known
};

/// Any message of a case. A Measurement or a Failure is the final one.
using Message = std::variant<Started, Alive, Killed, EpochRecord, ValidationRecord, RankRecord, Measurement, Failure>;

std::string encode(const Message& message);  ///< one line, without the newline
/// Throws ContractError if `line` is not a message.
Message decode(const std::string& line);

/// Splits a message of a rank into lines that end with a newline and that are short enough for atomic writes to a pipe:
/// several ranks and launchers can share one pipe.
std::vector<std::string> frame(int rank, const Message& message);

/// Reassembles messages from the lines of several ranks.
class Unframer {
 public:
  struct ReceivedMessage {
    int rank = 0;
    Message message;
  };
  static bool is_framed(const std::string& line);
  /// Returns the message that this line completes, if any. Throws ContractError if the line is framed but invalid, or
  /// if unfinished messages exceed a limit.
  std::optional<ReceivedMessage> take(const std::string& line);

 private:
  std::map<int, std::string> parts_;
  std::size_t held_bytes_ = 0;  ///< of all unfinished messages
};

/// Frames a message and writes it to the descriptor. Throws std::system_error.
void write_message(int descriptor, int rank, const Message& message);

}  // namespace ddlbench::bench
