#pragma once

#include <fmt/core.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ddlbench {

/// An error that the user can correct. The message names the numbers and the remedy.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A broken contract between two rooms: always a defect of ddlbench, never of its input.
class ContractError : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws ContractError(what) unless `holds`.
void require(bool holds, std::string_view what);

[[noreturn]] void throw_contract_error(fmt::string_view what, fmt::format_args arguments);

/// Formats the message as fmt::format does, but only if `holds` is false.
template <class... Arguments>
  requires(sizeof...(Arguments) > 0)
void require(bool holds, fmt::format_string<Arguments...> what, Arguments&&... arguments) {
  if (!holds) throw_contract_error(what, fmt::make_format_args(arguments...));
}

}  // namespace ddlbench
