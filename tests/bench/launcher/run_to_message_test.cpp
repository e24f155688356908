#include "bench/launcher/run_to_message.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "base/error.h"
#include "bench/case/memory.h"
#include "bench/case/train.h"
#include "bench/case/trainer.h"
#include "catch.h"
#include "comm/communicator.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using comm::CommunicationError;

namespace {

/// Returns what becomes of a case that throws `error`.
template <class Error>
Failure failure_after(const Error& error, bool on_accelerator = false) {
  NullProgress nowhere;
  WorkerRequest request;
  request.experiment.devices.derived.is_accelerator = on_accelerator;
  const CaseRunner run = [&](const Experiment&, const Case&, const std::string&, Progress&) -> Measurement {
    throw error;
  };
  const Message last = run_to_message(run, request, nowhere);
  const auto* failure = std::get_if<Failure>(&last);
  REQUIRE(failure != nullptr);
  return *failure;
}

template <class Error>
void check_ends_as(Status status, const std::string& what) {
  const Failure failure = failure_after(Error(what));
  INFO(name(failure.status) << ": " << failure.reason);
  CHECK(failure.status == status);
  CHECK(failure.reason == what);
}

/// An allocator's exception with the text of a device.
struct NoDeviceMemory final : std::bad_alloc {
  const char* what() const noexcept override { return "the GPU has 3 bytes left"; }
};

}  // namespace

TEST_CASE("a case that throws has a status, and the exception's text as its reason") {
  check_ends_as<Interrupted>(Status::interrupted,
                             "stopped after step 7 in epoch 2, with the checkpoint x-step-7.safetensors");
  check_ends_as<OutOfMemory>(Status::out_of_memory, "rank 0 needs 2 GiB");
  check_ends_as<NonFinite>(Status::non_finite, "the loss of step 3 is nan");
  check_ends_as<workloads::BadData>(Status::bad_data, "x.png: truncated");
  check_ends_as<strategies::Unsupported>(Status::unsupported, "the batch does not divide");
  check_ends_as<InputError>(Status::failed, "no such file");
  CHECK(failure_after(ContractError("no role")).reason == "a bug in ddlbench: no role");
}

TEST_CASE("an error in a communication is a status by its kind") {
  const auto status_after = [](CommunicationError::Kind kind) {
    return failure_after(CommunicationError(kind, 1, "all_reduce", "rank 1 is silent")).status;
  };
  CHECK(status_after(CommunicationError::Kind::timed_out) == Status::timed_out);
  CHECK(status_after(CommunicationError::Kind::lost_rank) == Status::lost_rank);
  CHECK(status_after(CommunicationError::Kind::aborted) == Status::failed);
}

TEST_CASE("memory that cannot be allocated has a remedy for the kind of memory") {
  for (const Failure& failure : {failure_after(std::bad_alloc()), failure_after(std::length_error("vector"))}) {
    CHECK(failure.status == Status::out_of_memory);
    CHECK(failure.reason.ends_with(
        "a smaller global_batch or model, more machines, or a higher limit (ulimit -v, --memory-limit)"));
  }
  CHECK(failure_after(std::bad_alloc(), true)
            .reason.starts_with("memory of a GPU or of the host could not be allocated"));
  CHECK(failure_after(NoDeviceMemory()).reason ==
        "the GPU has 3 bytes left; use a smaller global_batch or model, or more GPUs");
}

TEST_CASE("only a failure to create threads suggests more processes") {
  const auto reason_of = [](std::errc code) {
    return failure_after(std::system_error(std::make_error_code(code))).reason;
  };
  CHECK(reason_of(std::errc::resource_unavailable_try_again).ends_with("or allow more processes (ulimit -u)"));
  CHECK(reason_of(std::errc::permission_denied).find("ulimit") == std::string::npos);
}
