#pragma once

#include <vector>

#include "graph/dtype.h"
#include "kernels/alignment.h"
#include "kernels/cuda/dnn/descriptor.h"

/// Operations between tensors, as cuDNN's graph interface has them. Tensors are told apart by an id; those without
/// memory (virtual ones) exist within a graph alone.
namespace ddlbench::kernels::cuda::dnn {

using Dims = std::vector<std::int64_t>;

/// Strides of a tensor whose elements lie dense, the last dimension innermost.
Dims dense_strides(const Dims& dims);
/// Of [n, channels, h, w] that lies so, or with its channels last: in a block of all of them (graph::TensorType).
Dims strides_in_block(const Dims& dims, std::int64_t channel_block);

cudnnDataType_t data_type(graph::DType dtype);

class Graph {
 public:
  /// In device memory at the pointer that is given for `id`, a multiple of `alignment` bytes.
  Descriptor tensor(std::int64_t id, const Dims& dims, const Dims& strides, cudnnDataType_t type,
                    std::int64_t alignment = full_alignment);
  /// One f32 in host memory at the pointer that is given for `id`.
  Descriptor scalar(std::int64_t id, std::size_t rank);
  Descriptor between(const Dims& dims, cudnnDataType_t type);
  Descriptor between(const Dims& dims, const Dims& strides, cudnnDataType_t type);

  void add(const Descriptor& operation) { operations_.push_back(operation); }
  /// y = mode(x), computed in f32.
  void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& y);
  /// y = mode(x, b), b broadcast.
  void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& b, const Descriptor& y);
  /// y = index of the element of x along `axis`.
  void index(const Descriptor& x, std::int64_t axis, const Descriptor& y);
  /// y = a >= b of i32.
  void at_least(const Descriptor& a, const Descriptor& b, const Descriptor& y);
  /// y = chosen ? x : b.
  void select(const Descriptor& chosen, const Descriptor& x, const Descriptor& b, const Descriptor& y);
  void reduce(cudnnReduceTensorOp_t op, const Descriptor& x, const Descriptor& y);
  void multiply(const Descriptor& a, const Descriptor& b, const Descriptor& c);
  /// The same elements with other dims and strides.
  void reshape(const Descriptor& x, const Descriptor& y);

  const std::vector<Descriptor>& operations() const { return operations_; }

 private:
  Descriptor make(std::int64_t id, const Dims& dims, const Dims& strides, cudnnDataType_t type, std::int64_t alignment,
                  bool is_virtual, bool by_value);

  std::int64_t next_virtual_ = 1000;
  std::vector<Descriptor> operations_;
};

}  // namespace ddlbench::kernels::cuda::dnn
