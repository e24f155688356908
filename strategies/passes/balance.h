#pragma once

namespace ddlbench::strategies {

/// What the stages of a model have as equal as possible.
enum class Balance : unsigned char {
  time,                    ///< of the ops
  flops,                   ///< of the ops
  memory,                  ///< peak bytes, estimated
  time_and_communication,  ///< of the ops and of the messages that a stage sends and receives
};

}  // namespace ddlbench::strategies
