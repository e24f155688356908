#include "comm/nccl/nccl.h"

#include "base/error.h"

namespace ddlbench::comm {

NcclState nccl_state() {
  return {false, "this ddlbench was built without NCCL: configure with -DDDLBENCH_CUDA=ON", "", ""};
}

std::unique_ptr<Communicator> make_nccl(Communicator&, void*, std::chrono::milliseconds, const std::string&) {
  throw InputError(nccl_state().why_not);
}

}  // namespace ddlbench::comm
