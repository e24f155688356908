#pragma once

#include "kernels/functors/low_rank.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/low_rank.h"

/// The ops of graph/ops/low_rank.h.
namespace ddlbench::kernels::own {

/// A matrix with its P and Q, or a vector, split into rows.
struct LowRankRows {
  std::int64_t begin = 0, rows = 0, columns = 0;
  std::int64_t p = 0;
  std::int64_t q = 0;     ///< `vector`: there is none, and the last row may be shorter
  std::int64_t size = 0;  ///< elements

  static constexpr std::int64_t vector = -1;
  static constexpr std::int64_t row_of_vector = 1024;
};

/// Matrices and vectors, and the number of teams of all before each. It is passed with the launch. More than `capacity`
/// are distributed over several launches.
struct LowRankTable {
  static constexpr int capacity = 48;
  LowRankRows of[capacity];
  std::int64_t starts[capacity + 1];
  int count;

  std::int64_t teams() const { return starts[count]; }
  DDLBENCH_DEVICE int find(std::int64_t team) const {
    int low = 0, high = count;  // starts[low] ≤ team < starts[high]
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (starts[middle] <= team ? low : high) = middle;
    }
    return low;
  }
  /// Calls body(rows, row, first element of the row within the matrix or vector) for each row that the team takes.
  DDLBENCH_DEVICE void each_row(auto& team, const auto& body) const {
    for (std::int64_t item = team.index(); item < starts[count]; item += team.count()) {
      const int place = find(item);
      const std::int64_t row = item - starts[place];
      body(of[place], row, row * of[place].columns);
    }
  }
};

/// Returns tables of matrices, and with `vectors` also of those. `teams_of(rows)` is the number of teams of each.
std::vector<LowRankTable> low_rank_tables(const LowRankSizes& z, bool vectors, const auto& teams_of) {
  std::vector<LowRankRows> all;
  for (const LowRankMatrix& matrix : z.matrices)
    all.push_back(
        LowRankRows{matrix.begin, matrix.rows, matrix.columns, matrix.p, matrix.q, matrix.rows * matrix.columns});
  for (const LowRankVector& vector : z.vectors) {
    constexpr std::int64_t columns = LowRankRows::row_of_vector;
    if (vectors)
      all.push_back(LowRankRows{vector.begin, quotient_up(vector.size, columns), columns, vector.at,
                                LowRankRows::vector, vector.size});
  }
  std::vector<LowRankTable> tables;
  for (const LowRankRows& rows : all) {
    if (tables.empty() || tables.back().count == LowRankTable::capacity) tables.push_back({});
    LowRankTable& table = tables.back();
    table.of[table.count] = rows;
    table.starts[table.count + 1] = table.starts[table.count] + teams_of(rows);
    ++table.count;
  }
  return tables;
}

inline std::vector<LowRankTable> tables_by_rows(const LowRankSizes& z) {
  return low_rank_tables(z, true, [](const LowRankRows& rows) { return rows.rows; });
}

/// Sums for several columns of P or Q.
struct LowRankSums {
  static constexpr int columns = 4;
  float of[columns];
};
DDLBENCH_DEVICE inline LowRankSums operator+(LowRankSums x, const LowRankSums& y) {
  for (int k = 0; k < LowRankSums::columns; ++k) x.of[k] += y.of[k];
  return x;
}

/// A warp computes M and P of a row.
template <class T>
struct LowRankProjectBody {
  const T* g;
  const float* residual;
  const float* q;
  float* sums;
  float* m;
  int rank;
  LowRankTable table;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    table.each_row(team, [&](const LowRankRows& rows, std::int64_t row, std::int64_t first) {
      const std::int64_t at = rows.begin + first;
      if (rows.q == LowRankRows::vector) {
        team.each([&](int thread) {
          for (std::int64_t j = thread; j < rows.columns && first + j < rows.size; j += team.threads())
            sums[rows.p + first + j] = m[at + j] = to_f32(g[at + j]) + residual[at + j];
        });
        return;
      }
      for (int k = 0; k < rank; k += LowRankSums::columns) {
        const int columns = rank - k < LowRankSums::columns ? rank - k : LowRankSums::columns;
        const float* of_q = q + rows.q + k * rows.columns;
        const LowRankSums total = team.reduce(Sum{}, [&](int thread) {
          LowRankSums part{};
          DDLBENCH_UNROLL
          for (std::int64_t j = thread; j < rows.columns; j += team.threads()) {
            if (k == 0) m[at + j] = to_f32(g[at + j]) + residual[at + j];
            const float value = m[at + j];  // of the same thread
            for (int c = 0; c < LowRankSums::columns; ++c)
              if (c < columns) part.of[c] += value * of_q[c * rows.columns + j];
          }
          return part;
        });
        team.each([&](int thread) {
          for (int c = 0; c < LowRankSums::columns; ++c)
            if (thread == 0 && c < columns) sums[rows.p + (k + c) * rows.rows + row] = total.of[c];
        });
      }
    });
  }
};

/// A block makes the columns of one matrix' P orthonormal.
struct LowRankOrthogonaliseBody {
  const float* p;
  float* result;
  int rank;
  LowRankTable table;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t item = team.index(); item < table.count; item += team.count()) {
      const std::int64_t rows = table.of[item].rows, begin = table.of[item].p;
      for (int k = 0; k < rank; ++k) {
        float* column = result + begin + k * rows;
        team.each([&](int thread) {
          for (std::int64_t i = thread; i < rows; i += team.threads()) column[i] = p[begin + k * rows + i];
        });
        const double before = product(team, column, column, rows);
        for (int earlier = 0; earlier < k; ++earlier) {
          const float* other = result + begin + earlier * rows;
          const auto share = static_cast<float>(product(team, column, other, rows));
          team.each([&](int thread) {
            for (std::int64_t i = thread; i < rows; i += team.threads()) column[i] -= share * other[i];
          });
        }
        const double scale = column_scale(before, product(team, column, column, rows));
        team.each([&](int thread) {
          for (std::int64_t i = thread; i < rows; i += team.threads())
            column[i] = scale == 0 ? 0.0f : static_cast<float>(column[i] * scale);
        });
      }
    }
  }

 private:
  DDLBENCH_DEVICE static double product(auto& team, const float* x, const float* y, std::int64_t size) {
    return team.reduce(Sum{}, [&](int thread) {
      double sum = 0;
      for (std::int64_t i = thread; i < size; i += team.threads())
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
      return sum;
    });
  }
};

/// A thread computes a column of the matrix' part of Q.
struct LowRankProjectBackBody {
  const float* m;
  const float* p;
  const float* before;
  float* q;
  float ranks;
  int rank;
  LowRankTable table;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, table.starts[table.count], [&](std::int64_t item) {
      const int place = table.find(item);
      const LowRankRows& matrix = table.of[place];
      const std::int64_t column = item - table.starts[place];
      for (int k = 0; k < rank; k += LowRankSums::columns) {
        const int columns = rank - k < LowRankSums::columns ? rank - k : LowRankSums::columns;
        LowRankSums sum{};
        bool is_zero[LowRankSums::columns] = {true, true, true, true};
        DDLBENCH_UNROLL
        for (std::int64_t row = 0; row < matrix.rows; ++row) {
          const float value = m[matrix.begin + row * matrix.columns + column];
          for (int c = 0; c < LowRankSums::columns; ++c) {
            if (c >= columns) continue;
            const float factor = p[matrix.p + (k + c) * matrix.rows + row];
            sum.of[c] += factor * value;
            is_zero[c] = is_zero[c] && factor == 0;
          }
        }
        for (int c = 0; c < LowRankSums::columns; ++c) {
          const std::int64_t at = matrix.q + (k + c) * matrix.columns + column;
          if (c < columns) q[at] = is_zero[c] ? before[at] / ranks : sum.of[c];
        }
      }
    });
  }
};

/// A warp reconstructs a row.
template <class T>
struct LowRankReconstructBody {
  const float* sums;
  const float* q;
  const float* m;
  T* g;
  float* left;
  float share;
  int rank;
  LowRankTable table;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    table.each_row(team, [&](const LowRankRows& rows, std::int64_t row, std::int64_t first) {
      const std::int64_t at = rows.begin + first;
      const bool is_vector = rows.q == LowRankRows::vector;
      team.each([&](int thread) {
        for (std::int64_t j = thread; j < rows.columns && first + j < rows.size; j += team.threads()) {
          float sum = is_vector ? sums[rows.p + first + j] : 0.0f;
          for (int k = 0; k < rank && !is_vector; ++k)
            sum += sums[rows.p + k * rows.rows + row] * q[rows.q + k * rows.columns + j];
          left[at + j] = is_vector ? 0.0f : m[at + j] - share * sum;
          g[at + j] = from_f32<T>(sum);
        }
      });
    });
  }
};

std::unique_ptr<Kernel> bind_low_rank_project(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_low_rank_project(binding);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, rank = z.rank, tables = tables_by_rows(z)](const Arguments& a) {
      for (const LowRankTable& table : tables) {
        const LowRankProjectBody<T> body{input_of<T>(a, 0), input(a, 1), input(a, 2), output(a, 0),
                                         output(a, 1),      rank,        table};
        launcher.warps("low_rank_project", table.teams(), body);
      }
    });
  });
}

std::unique_ptr<Kernel> bind_low_rank_orthogonalise(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_low_rank_orthogonalise(binding);
  const auto tables = low_rank_tables(z, false, [](const LowRankRows&) { return 1; });
  return make_kernel(binding, [=, rank = z.rank](const Arguments& a) {
    for (const LowRankTable& table : tables) {
      const LowRankOrthogonaliseBody body{input(a, 0), output(a, 0), rank, table};
      launcher.blocks("low_rank_orthogonalise", table.teams(), body);
    }
  });
}

std::unique_ptr<Kernel> bind_low_rank_project_back(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_low_rank_project_back(binding);
  const auto tables = low_rank_tables(z, false, [](const LowRankRows& matrix) { return matrix.columns; });
  const auto ranks = static_cast<float>(attributes_of<graph::LowRankProjectBack>(binding).ranks);
  return make_kernel(binding, [=, rank = z.rank](const Arguments& a) {
    for (const LowRankTable& table : tables) {
      const LowRankProjectBackBody body{input(a, 0), input(a, 1), input(a, 2), output(a, 0), ranks, rank, table};
      launcher.items("low_rank_project_back", table.teams(), body);
    }
  });
}

std::unique_ptr<Kernel> bind_low_rank_reconstruct(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_low_rank_reconstruct(binding);
  const float share = 1 / static_cast<float>(attributes_of<graph::LowRankReconstruct>(binding).ranks);
  return with_storage(binding.outputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, rank = z.rank, tables = tables_by_rows(z)](const Arguments& a) {
      for (const LowRankTable& table : tables) {
        const LowRankReconstructBody<T> body{input(a, 0),  input(a, 1), input(a, 2), output_of<T>(a, 0),
                                             output(a, 1), share,       rank,        table};
        launcher.warps("low_rank_reconstruct", table.teams(), body);
      }
    });
  });
}

}  // namespace ddlbench::kernels::own
