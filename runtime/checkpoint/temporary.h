#pragma once

#include <string>

namespace ddlbench::runtime {

/// "PATH.tmp-PROCESS": where this process writes what is to take the place of `path`.
std::string temporary_of(const std::string& path);

/// Opens a new file of that name for writing. What had the name goes first, and a link is never followed. Locked
/// (flock) as long as it is open, as a sign that it is being written. −1, and errno, where that fails.
int open_temporary(const std::string& temporary);

/// Removes the temporaries of `path` that processes of this machine left behind when they were killed: files and
/// folders beside it of exactly such a name, whose process is not there and which nobody holds locked (another machine
/// that shares the folder). What cannot be removed stays. A folder is listed once in the life of this process: what is
/// left there later goes with another process.
void remove_stale_temporaries(const std::string& path);

}  // namespace ddlbench::runtime
