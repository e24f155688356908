#pragma once

#include <string>

namespace ddlbench::runtime {

/// Returns "PATH.tmp-PROCESS", where this process writes the replacement of `path`.
std::string temporary_of(const std::string& path);

/// Creates the file and opens it for writing. Removes an existing file of that name first; never follows a link. The
/// file is locked (flock) while it is open, to show that it is being written. Returns −1 and sets errno on failure.
int open_temporary(const std::string& temporary);

/// Removes the temporaries of `path` that killed processes of this machine have left: files and folders of exactly such
/// a name whose process does not exist and that are not locked, as they may be by another machine that shares the
/// folder. Ignores failures to remove. Each folder is listed only once per process; temporaries that appear later are
/// removed by a later process.
void remove_stale_temporaries(const std::string& path);

}  // namespace ddlbench::runtime
