#include "kernels/cuda/dnn/graph.h"

#include "base/error.h"

namespace ddlbench::kernels::cuda::dnn {
namespace {

Descriptor mode_of(cudnnPointwiseMode_t mode, cudnnDataType_t precision, std::int64_t axis = -1) {
  Descriptor made(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  made.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  made.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, precision);
  if (axis >= 0) made.set(CUDNN_ATTR_POINTWISE_AXIS, Dims{axis});
  return made.finalize("pointwise mode");
}

Descriptor pointwise_operation(const Descriptor& mode, const Descriptor& x, const Descriptor& y) {
  Descriptor made(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, mode);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  return made;
}

}  // namespace

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

Dims strides_in_block(const Dims& dims, std::int64_t channel_block) {
  if (channel_block == 1) return dense_strides(dims);
  require(channel_block == dims[1], "cuDNN needs all channels in one block");
  return {dims[1] * dims[2] * dims[3], 1, dims[3] * dims[1], dims[1]};
}

cudnnDataType_t data_type(graph::DType dtype) {
  switch (dtype) {
    case graph::DType::f32:
      return CUDNN_DATA_FLOAT;
    case graph::DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    case graph::DType::f16:
      return CUDNN_DATA_HALF;
    default:
      throw ContractError("cuDNN needs a floating-point type");
  }
}

Descriptor Graph::make(std::int64_t id, const Dims& dims, const Dims& strides, cudnnDataType_t type,
                       std::int64_t alignment, bool is_virtual, bool by_value) {
  Descriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, Dims{id});
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, Dims{alignment});
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
  made.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
  made.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, is_virtual);
  made.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, by_value);
  return made.finalize("tensor");
}

Descriptor Graph::tensor(std::int64_t id, const Dims& dims, const Dims& strides, cudnnDataType_t type,
                         std::int64_t alignment) {
  return make(id, dims, strides, type, alignment, false, false);
}

Descriptor Graph::scalar(std::int64_t id, std::size_t rank) {
  const Dims ones(rank, 1);
  return make(id, ones, ones, CUDNN_DATA_FLOAT, full_alignment, false, true);
}

Descriptor Graph::virtual_tensor(const Dims& dims, cudnnDataType_t type) {
  return virtual_tensor(dims, dense_strides(dims), type);
}

Descriptor Graph::virtual_tensor(const Dims& dims, const Dims& strides, cudnnDataType_t type) {
  return make(next_virtual_++, dims, strides, type, full_alignment, true, false);
}

void Graph::pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& y) {
  add(pointwise_operation(mode_of(mode, CUDNN_DATA_FLOAT), x, y).finalize("pointwise"));
}

void Graph::pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& b, const Descriptor& y) {
  Descriptor made = pointwise_operation(mode_of(mode, CUDNN_DATA_FLOAT), x, y);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  add(made.finalize("pointwise"));
}

void Graph::index(const Descriptor& x, std::int64_t axis, const Descriptor& y) {
  add(pointwise_operation(mode_of(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_INT32, axis), x, y).finalize("index"));
}

void Graph::at_least(const Descriptor& a, const Descriptor& b, const Descriptor& y) {
  Descriptor made = pointwise_operation(mode_of(CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN), a, y);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  add(made.finalize("comparison"));
}

void Graph::select(const Descriptor& chosen, const Descriptor& x, const Descriptor& b, const Descriptor& y) {
  Descriptor made = pointwise_operation(mode_of(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT), x, y);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, chosen);
  add(made.finalize("selection"));
}

void Graph::reduce(cudnnReduceTensorOp_t op, const Descriptor& x, const Descriptor& y) {
  Descriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  reduction.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op);
  reduction.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  reduction.finalize("reduction");
  Descriptor made(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction);
  made.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  made.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
  add(made.finalize("reduction"));
}

void Graph::multiply(const Descriptor& a, const Descriptor& b, const Descriptor& c) {
  Descriptor product(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  product.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  product.finalize("matrix product");
  Descriptor made(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  made.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
  made.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
  made.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, product);
  add(made.finalize("matrix product"));
}

void Graph::reshape(const Descriptor& x, const Descriptor& y) {
  Descriptor made(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x);
  made.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y);
  add(made.finalize("reshape"));
}

}  // namespace ddlbench::kernels::cuda::dnn
