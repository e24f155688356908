#pragma once

#include <mpi.h>

#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm::mpi {

/// Returns the MPI type with the same representation. MPI 4.0 has no 16-bit floats, so they are sent as 16-bit
/// integers.
MPI_Datatype datatype(graph::DType dtype);

/// Returns an operation that reduces as comm::reduce does, including NaN and rounding.
MPI_Op reduction(graph::DType dtype, graph::Reduction reduction);

}  // namespace ddlbench::comm::mpi
