#include "comm/communicator.h"
#include "comm/threads/threads.h"
#include "graph/error.h"

namespace ddlbench::comm {

const std::vector<Transport>& transports() {
  static const std::vector<Transport> all = {
      {"threads", "ranks are threads of one process; messages go from memory to memory", threads::launch},
  };
  return all;
}

const Transport& find_transport(const std::string& name) {
  std::string known;
  for (const Transport& transport : transports()) {
    if (transport.name == name) return transport;
    known += (known.empty() ? "" : ", ") + transport.name;
  }
  throw InputError("there is no transport '" + name + "': this build has " + known);
}

}  // namespace ddlbench::comm
