#pragma once

#include <exception>

#include "comm/communicator.h"

namespace ddlbench::bench {

/// Aborts the world with what an exception says and of which kind it is, so that it arrives at other processes
/// as what it was here. CommunicationErrors come from the world and are left to it.
void abort_with(comm::Communicator& communicator, const std::exception_ptr& exception) noexcept;

/// Throws what abort_with() sent on another rank, or `error` itself where it is anything else. `error` is as
/// the world threw it, or as it went through the engine, which puts rank and instruction before.
[[noreturn]] void throw_relayed(const comm::CommunicationError& error);

}  // namespace ddlbench::bench
