#pragma once

#include <vector>

#include "graph/dtype.h"
#include "kernels/alignment.h"
#include "kernels/cuda/dnn/descriptor.h"

/// Operations on tensors in cuDNN's graph API. An id identifies a tensor. Virtual tensors have no memory and exist only
/// within a graph.
namespace ddlbench::kernels::cuda::dnn {

using Dims = std::vector<std::int64_t>;

/// Returns the strides of a dense tensor whose last dimension is innermost.
Dims dense_strides(const Dims& dims);
/// Returns the strides of a dense [n, channels, h, w], row-major (`channel_block` 1) or channels-last (all channels in
/// one block, see graph::TensorType). Throws ContractError for other blocks.
Dims strides_in_block(const Dims& dims, std::int64_t channel_block);

cudnnDataType_t data_type(graph::DType dtype);

class Graph {
 public:
  /// Returns a tensor in device memory. Its address is given for `id` when the plan runs, and is a multiple of
  /// `alignment` bytes.
  Descriptor tensor(std::int64_t id, const Dims& dims, const Dims& strides, cudnnDataType_t type,
                    std::int64_t alignment = full_alignment);
  /// Returns one f32 in host memory, whose address is given for `id` when the plan runs.
  Descriptor scalar(std::int64_t id, std::size_t rank);
  Descriptor virtual_tensor(const Dims& dims, cudnnDataType_t type);
  Descriptor virtual_tensor(const Dims& dims, const Dims& strides, cudnnDataType_t type);

  void add(const Descriptor& operation) { operations_.push_back(operation); }
  /// y = mode(x), computed in f32.
  void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& y);
  /// y = mode(x, b), with b broadcast.
  void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& b, const Descriptor& y);
  /// y = index of the element of x along `axis`.
  void index(const Descriptor& x, std::int64_t axis, const Descriptor& y);
  /// y = a >= b in i32.
  void at_least(const Descriptor& a, const Descriptor& b, const Descriptor& y);
  /// y = chosen ? x : b.
  void select(const Descriptor& chosen, const Descriptor& x, const Descriptor& b, const Descriptor& y);
  void reduce(cudnnReduceTensorOp_t op, const Descriptor& x, const Descriptor& y);
  void multiply(const Descriptor& a, const Descriptor& b, const Descriptor& c);
  /// y has the elements of x with other dimensions and strides.
  void reshape(const Descriptor& x, const Descriptor& y);

  const std::vector<Descriptor>& operations() const { return operations_; }

 private:
  Descriptor make(std::int64_t id, const Dims& dims, const Dims& strides, cudnnDataType_t type, std::int64_t alignment,
                  bool is_virtual, bool by_value);

  std::int64_t next_virtual_ = 1000;
  std::vector<Descriptor> operations_;
};

}  // namespace ddlbench::kernels::cuda::dnn
