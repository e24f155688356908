#pragma once

#include <string>

namespace ddlbench::runtime {

/// Rethrows the exception being handled with `where` before its message and its type kept:
/// CommunicationError, InputError, ContractError and std::bad_alloc stay what they are, all else becomes
/// std::runtime_error.
[[noreturn]] void rethrow_in(const std::string& where);

}  // namespace ddlbench::runtime
