#include "graph/stream.h"

#include "base/error.h"

namespace ddlbench::graph {

std::string_view name(Stream stream) {
  switch (stream) {
    case Stream::compute:
      return "compute";
    case Stream::communication:
      return "communication";
    case Stream::copy:
      return "copy";
    case Stream::input:
      return "input";
  }
  throw ContractError("unknown stream");
}

}  // namespace ddlbench::graph
