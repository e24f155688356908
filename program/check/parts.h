#pragma once

#include "program/check/report.h"
#include "program/check/traffic.h"

namespace ddlbench::program {

/// Checks that every rank has a role whose mesh contains the rank, and a coordinate on the shard axis that fits the
/// role. All other checks require this.
void check_roles(const Plan& plan, Report& report);

/// Checks buffers, views, types, streams and dependencies of one program, and that instructions complete a previous
/// step only where there is one. Reports findings at `rank`.
void check_form(const Role& role, Mode mode, const Cadence& cadence, int rank, Report& report);

/// Checks that the two programs of a role agree on their persistent buffers.
void check_shared_buffers(const Role& role, int rank, Report& report);

/// Checks that everything is written before it is read, by an instruction that is ordered before the read, and is not
/// overwritten in between; and that everything written is used. The epilogue may follow any step. Requires a program
/// that passes check_form.
void check_memory(const Role& role, Mode mode, const Cadence& cadence, int rank, Report& report);

/// Checks that every send matches a receive.
void check_messages(const Plan& plan, const Traffic& traffic, Report& report);

/// Checks that every collective matches an equal call on all members of its group, in the same order.
void check_collectives(const Plan& plan, const Traffic& traffic, Report& report);

/// Runs all ranks, each communicating strictly in order, until they finish or stall, and reports the stalled ones.
/// Requires well-formed programs, and messages and collectives that match.
void check_progress(const Plan& plan, const Traffic& traffic, Report& report);

}  // namespace ddlbench::program
