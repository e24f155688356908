#include "base/error.h"

namespace ddlbench {

void require(bool holds, std::string_view what) {
  if (!holds) throw ContractError(std::string(what));
}

}  // namespace ddlbench
