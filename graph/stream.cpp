#include "graph/stream.h"

#include "base/enumeration.h"

namespace ddlbench::graph {

std::string_view name(Stream stream) {
  return name_of<Stream::input>(stream, "compute", "communication", "copy", "input");
}

}  // namespace ddlbench::graph
