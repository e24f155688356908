#include "bench/case/relay.h"

#include <new>
#include <string>

#include "base/error.h"
#include "bench/case/memory.h"
#include "bench/case/trainer.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {
namespace {

/// One entry per kind of exception that has a status of its own: its tag in the message, how to recognise it and how to
/// throw it.
struct ErrorKind {
  const char* mark;
  bool (*is)(const std::exception& error);
  void (*raise)(const std::string& what);
};

template <class Error>
ErrorKind kind(const char* mark) {
  return {mark, [](const std::exception& error) { return dynamic_cast<const Error*>(&error) != nullptr; },
          [](const std::string& what) { throw Error(what); }};
}

const ErrorKind kinds[] = {
    kind<NonFinite>("[non-finite] "),
    kind<workloads::BadData>("[bad data] "),
    kind<strategies::Unsupported>("[unsupported] "),
    kind<OutOfMemory>("[out of memory] "),
    kind<InputError>("[input] "),
    kind<ContractError>("[defect] "),
    {"[no memory] ", [](const std::exception& error) { return dynamic_cast<const std::bad_alloc*>(&error) != nullptr; },
     [](const std::string& what) {
       if (what.starts_with("std::")) throw std::bad_alloc();
       throw OutOfMemory(what);  // a device reports how much memory it had
     }},
};

}  // namespace

void abort_with(comm::Communicator& communicator, const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const comm::CommunicationError&) {
    return;
  } catch (const std::exception& error) {
    for (const ErrorKind& one : kinds) {
      if (one.is(error)) return communicator.abort(one.mark + std::string(error.what()));
    }
  } catch (...) {
    return;  // the launch reports that this rank failed
  }
}

void throw_relayed(const comm::CommunicationError& error) {
  const std::string what = error.what();
  for (const ErrorKind& one : kinds) {
    const std::size_t mark = what.find(one.mark);
    if (error.kind() == comm::CommunicationError::Kind::aborted && mark != std::string::npos) {
      one.raise(what.substr(mark + std::string(one.mark).size()));
    }
  }
  throw error;
}

}  // namespace ddlbench::bench
