#pragma once

#include <string>

namespace ddlbench::runtime {

/// Rethrows the current exception with `where` prepended to its message. CommunicationError, InputError, ContractError
/// and std::bad_alloc keep their types; all others become std::runtime_error.
[[noreturn]] void rethrow_in(const std::string& where);

}  // namespace ddlbench::runtime
