#pragma once

#include <ostream>

#include "bench/command/arguments.h"

/// One function per subcommand, each in a file of its name. They return the exit code and may throw.
namespace ddlbench::bench {

int run_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int verify_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int validate_command(const Arguments& arguments, std::ostream& out);
int plan_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int profile_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int trace_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int describe_command(const Arguments& arguments, std::ostream& out);
int layers_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int reproduce_command(const Arguments& arguments, std::ostream& out);
int list_command(const Arguments& arguments, std::ostream& out);
int env_command(const Arguments& arguments, std::ostream& out);
int report_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int merge_command(const Arguments& arguments, std::ostream& out);
int compare_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int slurm_command(const Arguments& arguments, std::ostream& out, std::ostream& err);
int slurm_status_command(const Arguments& arguments, std::ostream& out);
int schema_command(const Arguments& arguments, std::ostream& out);

}  // namespace ddlbench::bench
