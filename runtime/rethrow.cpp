#include "runtime/rethrow.h"

#include <fmt/core.h>
#include <new>

#include "base/error.h"
#include "comm/communicator.h"

namespace ddlbench::runtime {

namespace {

/// Returns the message without the operation that the constructor of CommunicationError prepends.
std::string text_of(const comm::CommunicationError& error) {
  const std::string text = error.what();
  const std::string prefix = error.operation() + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

void rethrow_in(const std::string& where) {
  try {
    throw;
  } catch (const comm::CommunicationError& error) {
    throw comm::CommunicationError(error.kind(), error.rank(), error.operation(),
                                   fmt::format("{}: {}", where, text_of(error)));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", where, error.what()));
  } catch (const ContractError& error) {
    throw ContractError(fmt::format("{}: {}", where, error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace ddlbench::runtime
