#pragma once

namespace ddlbench::bench {

/// OpenMP's threads spin for milliseconds at a barrier unless told otherwise, and libgomp reads that once,
/// when it is loaded. Where a loader or a helper thread wants the same cores, a step of 1 ms then takes 20
/// to 200; a short spin costs a quiet machine some percent. A person's own setting stands.
///
/// For programs that this one starts. Returns whether anything was changed: for this one it is too late.
bool tame_openmp();

}  // namespace ddlbench::bench
