#include "collectives/pairwise.h"

#include "collectives/payload.h"

namespace ddlbench::collectives {

void pairwise_all_to_all(int rank, const std::vector<std::int64_t>& send_counts,
                         const std::vector<std::int64_t>& receive_counts, const Emit& emit) {
  const Payload out(send_counts), in(receive_counts);
  const int ranks = out.members();
  emit({{}, {}, CopyPart{out.part(Memory::input, rank), in.part(Memory::output, rank)}});
  for (int s = 1; s < ranks; ++s) {
    const int to = (rank + s) % ranks;
    const int from = (rank - s + ranks) % ranks;
    emit({SendPart{to, out.part(Memory::input, to)}, ReceivePart{from, in.part(Memory::output, from), {}}, {}});
  }
}

}  // namespace ddlbench::collectives
