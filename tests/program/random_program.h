#pragma once

#include "program/program.h"

namespace ddlbench::test {

/// Returns an ordered program of `instructions` instructions. It mixes compute, sends, receives and collectives over
/// transient buffers of random sizes, each written before it is read, and over random ranges of two persistent buffers.
/// Communications have no counterparts on other ranks. The last instruction reads the gradients and writes the other
/// persistent buffer.
program::Program random_program(unsigned seed, int instructions);

/// Returns true if both instructions access the same bytes of a buffer and at least one of them writes.
bool conflict(const program::Program& program, const program::Instruction& a, const program::Instruction& b);

}  // namespace ddlbench::test
