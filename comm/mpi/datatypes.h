#pragma once

#include <mpi.h>

#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm::mpi {

/// MPI's type of the same bits. MPI 4.0 has no 16-bit floats: they travel as 16-bit integers.
MPI_Datatype datatype(graph::DType dtype);

/// Reduces as comm::reduce does, NaN and rounding included.
MPI_Op reduction(graph::DType dtype, graph::Reduction reduction);

}  // namespace ddlbench::comm::mpi
