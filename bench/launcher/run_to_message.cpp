#include "bench/launcher/run_to_message.h"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/error.h"
#include "bench/case/memory.h"
#include "bench/case/train.h"
#include "bench/case/trainer.h"
#include "comm/communicator.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

namespace {

/// Returns the reason and remedy of a failed allocation. `what` is the exception's text: a device reports how much
/// memory it had; the host's library only the exception's name.
std::string no_memory(const Devices& devices, const std::string& what = "std::") {
  if (!what.starts_with("std::")) return what + "; use a smaller global_batch or model, or more GPUs";
  if (devices.derived.is_accelerator) {
    return "memory of a GPU or of the host could not be allocated; use a smaller global_batch or model, or more GPUs";
  }
  return "host memory could not be allocated; use a smaller global_batch or model, more machines, or a higher limit "
         "(ulimit -v, --memory-limit)";
}

Status status_of(const comm::CommunicationError& error) {
  switch (error.kind()) {
    case comm::CommunicationError::Kind::timed_out:
      return Status::timed_out;
    case comm::CommunicationError::Kind::lost_rank:
      return Status::lost_rank;
    default:
      return Status::failed;
  }
}

}  // namespace

Message run_to_message(const CaseRunner& run, const WorkerRequest& request, Progress& progress) {
  try {
    return run(request.experiment, request.which, request.trace_file, progress);
  } catch (const OutOfMemory& error) {
    return Failure{Status::out_of_memory, error.what()};
  } catch (const std::bad_alloc& error) {
    return Failure{Status::out_of_memory, no_memory(request.experiment.devices, error.what())};
  } catch (const std::length_error&) {  // larger than any container can be
    return Failure{Status::out_of_memory, no_memory(request.experiment.devices)};
  } catch (const Interrupted& error) {
    return Failure{Status::interrupted, error.what()};
  } catch (const NonFinite& error) {
    return Failure{Status::non_finite, error.what()};
  } catch (const workloads::BadData& error) {
    return Failure{Status::bad_data, error.what()};
  } catch (const strategies::Unsupported& error) {
    return Failure{Status::unsupported, error.what()};
  } catch (const comm::CommunicationError& error) {
    const bool is_known = error.rank() >= 0;
    return Failure{status_of(error), error.what(), is_known ? std::optional(error.rank()) : std::nullopt};
  } catch (const ContractError& error) {
    return Failure{Status::failed, std::string("a bug in ddlbench: ") + error.what()};
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return Failure{Status::failed,
                   error.what() + std::string(no_thread ? ": no more threads can be created; use fewer ranks, or allow "
                                                          "more processes (ulimit -u)"
                                                        : "")};
  } catch (const std::exception& error) {
    return Failure{Status::failed, error.what()};
  }
}

}  // namespace ddlbench::bench
