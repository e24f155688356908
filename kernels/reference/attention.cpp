#include "graph/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::reference {
namespace {

/// One head of one sample.
struct Head {
  std::int64_t b = 0, h = 0;
};

void for_each_head(const AttentionSizes& z, const auto& body) {
  for (std::int64_t b = 0; b < z.batch; ++b)
    for (std::int64_t h = 0; h < z.heads; ++h) body(Head{b, h});
}

enum Part : std::int64_t { query, key, value };

std::int64_t at(const AttentionSizes& z, Head head, Part part, std::int64_t position, std::int64_t d) {
  return z.qkv_offset(head.b, head.h) + position * z.qkv_row() + part * z.head_size + d;
}

double scale(const AttentionSizes& z) {
  return 1 / std::sqrt(static_cast<double>(z.head_size));
}

double score(const AttentionSizes& z, Head head, const float* qkv, std::int64_t i, std::int64_t j) {
  double sum = 0;
  for (std::int64_t d = 0; d < z.head_size; ++d)
    sum += double{qkv[at(z, head, query, i, d)]} * qkv[at(z, head, key, j, d)];
  return sum * scale(z);
}

/// Softmax P and the gradient dS of the scores of one head, both S × S.
struct Squares {
  double* p;
  double* ds;
};

void fill_squares(const AttentionSizes& z, Head head, const Arguments& a, Squares squares) {
  const float *dy = input(a, 0) + z.y_offset(head.b, head.h), *y = input(a, 2) + z.y_offset(head.b, head.h);
  for (std::int64_t i = 0; i < z.positions; ++i) {
    double mean = 0;  // Σ_j P_ij dP_ij
    for (std::int64_t d = 0; d < z.head_size; ++d) mean += double{dy[i * z.y_row() + d]} * y[i * z.y_row() + d];
    for (std::int64_t j = 0; j <= i; ++j) {
      double dp = 0;
      for (std::int64_t d = 0; d < z.head_size; ++d)
        dp += double{dy[i * z.y_row() + d]} * input(a, 1)[at(z, head, value, j, d)];
      const double logsumexp = input(a, 3)[z.statistics_offset(head.b, head.h) + i];
      const double p = std::exp(score(z, head, input(a, 1), i, j) - logsumexp);
      squares.p[i * z.positions + j] = p;
      squares.ds[i * z.positions + j] = p * (dp - mean) * scale(z);
    }
  }
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(attention) {
  const auto z = sizes_of_attention(binding);
  return make_kernel(binding, static_cast<std::size_t>(z.positions) * sizeof(double), [z](const Arguments& a) {
    auto* scores = static_cast<double*>(a.workspace);
    for_each_head(z, [&](Head head) {
      for (std::int64_t i = 0; i < z.positions; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) scores[j] = score(z, head, input(a, 0), i, j);
        const double maximum = *std::max_element(scores, scores + i + 1);
        double sum = 0;
        for (std::int64_t j = 0; j <= i; ++j) sum += std::exp(scores[j] - maximum);
        for (std::int64_t d = 0; d < z.head_size; ++d) {
          double y = 0;
          for (std::int64_t j = 0; j <= i; ++j)
            y += std::exp(scores[j] - maximum) / sum * input(a, 0)[at(z, head, value, j, d)];
          output(a, 0)[z.y_offset(head.b, head.h) + i * z.y_row() + d] = static_cast<float>(y);
        }
        output(a, 1)[z.statistics_offset(head.b, head.h) + i] = static_cast<float>(maximum + std::log(sum));
      }
    });
  });
}

DDLBENCH_REFERENCE_KERNEL(attention_backward) {
  const auto z = sizes_of_attention_backward(binding);
  const std::int64_t square = z.positions * z.positions;
  return make_kernel(binding, static_cast<std::size_t>(2 * square) * sizeof(double), [z, square](const Arguments& a) {
    auto* workspace = static_cast<double*>(a.workspace);
    const Squares squares{workspace, workspace + square};
    for_each_head(z, [&](Head head) {
      fill_squares(z, head, a, squares);
      const float *dy = input(a, 0) + z.y_offset(head.b, head.h), *qkv = input(a, 1);
      for (std::int64_t i = 0; i < z.positions; ++i) {
        for (std::int64_t d = 0; d < z.head_size; ++d) {
          double dq = 0, dk = 0, dv = 0;
          for (std::int64_t j = 0; j <= i; ++j) dq += squares.ds[i * z.positions + j] * qkv[at(z, head, key, j, d)];
          for (std::int64_t j = i; j < z.positions; ++j) {
            dk += squares.ds[j * z.positions + i] * qkv[at(z, head, query, j, d)];
            dv += squares.p[j * z.positions + i] * dy[j * z.y_row() + d];
          }
          output(a, 0)[at(z, head, query, i, d)] = static_cast<float>(dq);
          output(a, 0)[at(z, head, key, i, d)] = static_cast<float>(dk);
          output(a, 0)[at(z, head, value, i, d)] = static_cast<float>(dv);
        }
      }
    });
  });
}

}  // namespace ddlbench::kernels::reference
