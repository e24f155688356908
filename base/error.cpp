#include "base/error.h"

namespace ddlbench {

void require(bool holds, std::string_view what) {
  if (!holds) throw ContractError(std::string(what));
}

void throw_contract_error(fmt::string_view what, fmt::format_args arguments) {
  throw ContractError(fmt::vformat(what, arguments));
}

}  // namespace ddlbench
