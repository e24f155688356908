#pragma once

#include <string>
#include <variant>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// Where a worker's messages go: one JSON object per line. Its request comes on standard input; standard
/// output and error are its log.
inline constexpr int worker_message_descriptor = 3;

struct Alive {
  std::string phase;
  double fraction = 0;  ///< of the whole case
};

/// The case ended, and not well.
struct Failure {
  Status status = Status::failed;
  std::string reason;
};

/// Whatever a worker says. A Measurement or a Failure is its last.
using Message = std::variant<Alive, EpochRecord, RankRecord, Measurement, Failure>;

std::string encode(const Message& message);  ///< one line, without its end
/// Throws ContractError for a line that is not a message.
Message decode(const std::string& line);

}  // namespace ddlbench::bench
