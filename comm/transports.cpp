#include "base/names.h"
#include "comm/communicator.h"
#include "comm/gloo/gloo.h"
#include "comm/mpi/mpi.h"
#include "comm/threads/threads.h"

namespace ddlbench::comm {

const std::vector<Transport>& transports() {
  static const std::vector<Transport> all = {
      {"threads", "ranks are threads of one process; messages are copied in memory", threads::launch},
      {"mpi", "ranks are processes that mpiexec or srun started; messages go over MPI", mpi::launch, true, true},
      {"gloo", "ranks are processes on this machine that ddlbench starts; messages go over TCP", gloo::launch, true},
  };
  return all;
}

const Transport& find_transport(const std::string& name) {
  return find_named(transports(), name, "transport");
}

}  // namespace ddlbench::comm
