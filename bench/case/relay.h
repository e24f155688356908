#pragma once

#include <exception>

#include "comm/communicator.h"

namespace ddlbench::bench {

/// Aborts the world with the message and kind of an exception, so that other processes can throw the same exception.
/// Leaves CommunicationErrors alone: they come from the world itself.
void abort_with(comm::Communicator& communicator, const std::exception_ptr& exception) noexcept;

/// Throws the exception that abort_with() sent on another rank; throws `error` itself if it is anything else. `error`
/// may be as the world threw it, or with the rank and instruction that the engine prefixed.
[[noreturn]] void throw_relayed(const comm::CommunicationError& error);

}  // namespace ddlbench::bench
