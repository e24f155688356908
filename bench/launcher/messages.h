#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

// A case's processes tell the supervisor of it on their standard output, in lines that others cannot be taken
// for; whatever else comes there is their log, as is their standard error. The request comes on the standard
// input of rank 0.

/// A process begins: where it is, should it vanish.
struct Started {
  std::int64_t process = 0;
  std::string host;
};

struct Alive {
  std::string phase;
  double fraction = 0;  ///< of the whole case
};

/// A rank's process was killed, says who started it.
struct Killed {
  std::int64_t process = 0;
  std::string host;
  int signal = 0;
};

/// The case ended, and not well.
struct Failure {
  Status status = Status::failed;
  std::string reason;
};

/// Whatever is said of a case. A Measurement or a Failure is its last word.
using Message = std::variant<Started, Alive, Killed, EpochRecord, RankRecord, Measurement, Failure>;

std::string encode(const Message& message);  ///< one line, without its end
/// Throws ContractError for a line that is not a message.
Message decode(const std::string& line);

/// A message of a rank as lines, each with its end and each short enough for a pipe to take it whole: those of
/// several ranks, and of launchers, can share one.
std::vector<std::string> frame(int rank, const Message& message);

/// Puts the lines of several ranks together again.
class Unframer {
 public:
  struct Heard {
    int rank = 0;
    Message message;
  };
  static bool is_framed(const std::string& line);
  /// What the line completes, if it does. Throws ContractError where it is framed and no message, or parts without end.
  std::optional<Heard> take(const std::string& line);

 private:
  std::map<int, std::string> parts_;
  std::size_t held_bytes_ = 0;  ///< of all parts
};

/// Frames a message and writes it to the descriptor. Throws std::system_error.
void write_message(int descriptor, int rank, const Message& message);

}  // namespace ddlbench::bench
