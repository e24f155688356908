#pragma once

namespace ddlbench::bench {

/// The body of `ddlbench rank`, which a launcher starts for each rank: runs `ddlbench worker` as its child and
/// waits for it. Launchers do not tell which rank died of what, and by then have killed the others, too; this
/// tells the supervisor (Killed) before they can know. Returns the worker's exit code, 128 + signal where one
/// killed it, 2 where no launcher started it.
int guard_rank();

}  // namespace ddlbench::bench
