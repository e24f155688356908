#pragma once

#include "program/check/report.h"
#include "program/check/traffic.h"

namespace ddlbench::program {

/// Ranks have roles, roles have meshes that hold them. Nothing else can be looked at before this holds.
void check_roles(const Plan& plan, Report& report);

/// Buffers, views, types, streams and dependencies of one program, reported at `rank`.
void check_form(const Role& role, Mode mode, int rank, Report& report);

/// The persistent buffers of both programs of a role.
void check_shared_buffers(const Role& role, int rank, Report& report);

/// What lies in memory when it is read: written before, by something that is ordered before, and not
/// overwritten since; and that what is written is used. Needs a program of good form.
void check_memory(const Role& role, Mode mode, int rank, Report& report);

/// Every send meets its receive.
void check_messages(const Plan& plan, const Traffic& traffic, Report& report);

/// Every collective meets its like, in one order.
void check_collectives(const Plan& plan, const Traffic& traffic, Report& report);

/// Runs all ranks, communication strictly in order, until they end or stand still. Needs good form, and
/// messages and collectives that match.
void check_progress(const Plan& plan, const Traffic& traffic, Report& report);

}  // namespace ddlbench::program
