// Checks that the bytes sent over MPI equal those of sent_bytes() and the prediction of program::sent_bytes, by
// interposing MPI_Isend.

#include <mpi.h>

#include <atomic>
#include <numeric>

#include "../support.h"
#include "catch.h"
#include "comm/mpi/control_message.h"
#include "comm/process_place.h"
#include "graph/tensor.h"
#include "program/account.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

std::atomic<std::int64_t> isend_bytes{0};

/// The bytes passed to MPI_Isend and those counted by the communicator while `operation` runs.
struct Wire {
  std::int64_t given = 0;
  std::int64_t counted = 0;
};

std::int64_t total(const SentBytes& sent) {
  std::int64_t sum = 0;
  for (const auto& [operation, bytes] : sent) sum += bytes;
  return sum;
}

Wire wire_of(Communicator& communicator, const OperationPtr& operation) {
  run(communicator.barrier());
  const std::int64_t given = isend_bytes.load();
  const std::int64_t counted = total(communicator.sent_bytes());
  run(operation);
  const Wire wire{isend_bytes.load() - given, total(communicator.sent_bytes()) - counted};
  run(communicator.barrier());
  return wire;
}

program::CollectiveCall call_of(graph::Collective kind, collectives::Algorithm algorithm,
                                const std::vector<std::int64_t>& counts) {
  program::CollectiveCall call;
  call.kind = kind;
  call.algorithm = algorithm;
  const std::int64_t whole = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  call.input.type = call.output.type = {{whole}, graph::DType::f32};
  if (kind != graph::Collective::all_reduce) call.counts = counts;
  return call;
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                         MPI_Request* request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  const std::int64_t bytes = std::int64_t{count} * size;
  // Control messages are not data; no data message of this test has their size.
  if (bytes != static_cast<std::int64_t>(sizeof(mpi::ControlMessage))) isend_bytes += bytes;
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

TEST_CASE("bytes passed to MPI equal the counted and the predicted bytes") {
  const int size = process_place().value().size;
  find_transport("mpi").launch(size, {}, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    for (const std::int64_t count : {0, 1, 1001, 400003}) {
      std::vector<std::int64_t> counts;
      for (int i = 0; i < size; ++i) counts.push_back(graph::part_of(count, size, i).size());
      std::rotate(counts.begin(), counts.begin() + size / 2, counts.end());
      std::vector<float> whole(static_cast<std::size_t>(count)), part(whole.size());
      const auto compare = [&](const OperationPtr& operation, const program::CollectiveCall& call) {
        const Wire wire = wire_of(communicator, operation);
        const std::int64_t predicted = program::sent_bytes(call, size, rank);
        expect(wire.counted == predicted, "counted as foretold", wire.counted - predicted);
        expect(wire.given == wire.counted, "given to MPI as counted", wire.given - wire.counted);
      };
      for (const auto algorithm : collectives::algorithms(graph::Collective::all_reduce)) {
        compare(
            communicator.all_reduce({whole.data(), whole.data(), count, graph::DType::f32, {}, algorithm, nullptr, ""}),
            call_of(graph::Collective::all_reduce, algorithm, counts));
      }
      compare(communicator.reduce_scatter({whole.data(), part.data(), counts, graph::DType::f32, {}, nullptr, ""}),
              call_of(graph::Collective::reduce_scatter, {}, counts));
      compare(communicator.all_gather({part.data(), whole.data(), counts, graph::DType::f32, {}, nullptr, ""}),
              call_of(graph::Collective::all_gather, {}, counts));
      compare(communicator.broadcast({whole.data(), count, graph::DType::f32, 0, ""}),
              call_of(graph::Collective::broadcast, {}, counts));
    }
  });
}
