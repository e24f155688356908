#pragma once

#include "program/program.h"

namespace ddlbench::test {

/// An ordered program of `instructions` instructions that mixes compute, sends, receives and collectives
/// over transient buffers of random sizes, each written before it is read, and two persistent ones that
/// are accessed in random ranges. Not matched between ranks. The last instruction reads all compute.
program::Program random_program(unsigned seed, int instructions);

/// Whether two instructions touch the same bytes of a buffer, one of them writing.
bool conflict(const program::Program& program, const program::Instruction& a, const program::Instruction& b);

}  // namespace ddlbench::test
