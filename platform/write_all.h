#pragma once

#include <string_view>

namespace ddlbench::platform {

/// Writes all of `bytes` to a blocking descriptor; continues after signals and partial writes. Returns false, with
/// errno set, if that fails.
[[nodiscard]] bool write_all(int descriptor, std::string_view bytes);

}  // namespace ddlbench::platform
