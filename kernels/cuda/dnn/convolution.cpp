#include "kernels/cuda/dnn/convolution.h"

namespace ddlbench::kernels::cuda::dnn {
namespace {

Descriptor geometry(const ConvolutionSizes& z) {
  const Dims padding{z.padding, z.padding}, stride{z.stride, z.stride}, dilation{z.dilation, z.dilation};
  Descriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, Dims{2});
  made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilation);
  made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, stride);
  made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding);
  made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding);
  return made.finalize("convolution");
}

/// The descriptor type of a direction and its names of the attributes.
struct Names {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t geometry, x, w, y, alpha, beta;
};

Names names_of(Direction direction) {
  switch (direction) {
    case Direction::backward_input:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case Direction::backward_weight:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  }
}

}  // namespace

Graph graph_of(const Convolution& convolution) {
  const ConvolutionSizes& z = convolution.sizes;
  const cudnnDataType_t type = data_type(convolution.dtype);
  // cuDNN derives the number of groups from the channels of image and filter.
  const Dims image{z.n, z.c, z.h, z.w}, filter{z.k, z.group_channels(), z.r, z.s}, result{z.n, z.k, z.p, z.q};
  const bool forward = convolution.direction == Direction::forward;
  const bool bias = forward && convolution.bias, relu = forward && convolution.relu;
  Graph graph;
  const auto dense = [&](ConvolutionId id, const Dims& dims, std::int64_t block, std::int64_t alignment) {
    return graph.tensor(id, dims, strides_in_block(dims, block), type, alignment);
  };
  const Descriptor x = dense(id_x, image, z.x_block, convolution.alignments.x);
  const Descriptor w = dense(id_w, filter, z.w_block, convolution.alignments.w);
  const Descriptor y = dense(id_y, result, z.y_block, convolution.alignments.y);
  const Dims strides = strides_in_block(result, z.y_block);
  const Descriptor products = bias || relu ? graph.virtual_tensor(result, strides, CUDNN_DATA_FLOAT) : y;
  const Names names = names_of(convolution.direction);
  Descriptor operation(names.type);
  operation.set(names.geometry, geometry(z)).set(names.x, x).set(names.w, w).set(names.y, products);
  operation.set_float(names.alpha, 1).set_float(names.beta, 0);
  graph.add(operation.finalize("convolution"));
  const Descriptor sums = bias && relu ? graph.virtual_tensor(result, strides, CUDNN_DATA_FLOAT) : bias ? y : products;
  if (bias) {
    const Descriptor added = dense(id_bias, {1, z.k, 1, 1}, z.y_block, convolution.alignments.bias);
    graph.pointwise(CUDNN_POINTWISE_ADD, products, added, sums);
  }
  if (relu) graph.pointwise(CUDNN_POINTWISE_RELU_FWD, sums, y);
  return graph;
}

}  // namespace ddlbench::kernels::cuda::dnn
