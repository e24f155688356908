#include "comm/mpi/datatypes.h"

#include <array>

#include "base/error.h"
#include "comm/mpi/check.h"
#include "comm/reduce.h"

namespace ddlbench::comm::mpi {

namespace {

using graph::DType;
using graph::Reduction;

template <DType dtype, Reduction reduction>
void combine(void* incoming, void* target, int* count, MPI_Datatype*) {
  comm::reduce(dtype, reduction, target, incoming, target, *count);
}

/// Creates the operation once per process. MPI frees it when it is finalised.
template <DType dtype, Reduction reduction>
MPI_Op made() {
  static const MPI_Op op = [] {
    MPI_Op fresh = MPI_OP_NULL;
    check(MPI_Op_create(combine<dtype, reduction>, 1, &fresh), "MPI_Op_create");
    return fresh;
  }();
  return op;
}

}  // namespace

MPI_Datatype datatype(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return MPI_FLOAT;
    case DType::bf16:
    case DType::f16:
      return MPI_UINT16_T;
    case DType::i32:
      return MPI_INT32_T;
    case DType::i64:
      return MPI_INT64_T;
    case DType::u8:
      return MPI_UINT8_T;
  }
  throw ContractError("unknown type of elements");
}

MPI_Op reduction(DType dtype, Reduction reduction) {
  const bool sum = reduction == Reduction::sum;
  switch (dtype) {
    case DType::f32:
      return sum ? MPI_SUM : made<DType::f32, Reduction::max>();
    case DType::bf16:
      return sum ? made<DType::bf16, Reduction::sum>() : made<DType::bf16, Reduction::max>();
    case DType::f16:
      return sum ? made<DType::f16, Reduction::sum>() : made<DType::f16, Reduction::max>();
    case DType::i32:
    case DType::i64:
    case DType::u8:
      return sum ? MPI_SUM : MPI_MAX;
  }
  throw ContractError("unknown type of elements");
}

}  // namespace ddlbench::comm::mpi
