#pragma once

#include "kernels/own/segments.h"

/// Deterministic sums for each tensor. A team sums a block of one tensor: each thread sums a few elements, and a tree
/// reduction combines the threads. Then a team sums the blocks of a tensor in f64.
namespace ddlbench::kernels::own {

constexpr std::int64_t norm_block = 16 * block_threads;

/// The blocks of the segments of one launch, numbered consecutively.
struct BlockTable {
  SegmentTable segments;
  std::int64_t blocks[SegmentTable::capacity + 1];  ///< number of blocks before each segment, over all launches

  DDLBENCH_HOST_DEVICE std::int64_t first() const { return blocks[0]; }
  DDLBENCH_HOST_DEVICE std::int64_t last() const { return blocks[segments.count]; }
  DDLBENCH_DEVICE int find(std::int64_t block) const {
    int low = 0, high = segments.count;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (blocks[middle] <= block ? low : high) = middle;
    }
    return low;
  }
};

inline std::vector<BlockTable> block_tables_of(const std::vector<graph::UpdateSegment>& segments) {
  std::vector<BlockTable> tables;
  std::int64_t count = 0;
  for (const SegmentTable& table : tables_of(segments)) {
    BlockTable made{table, {}};
    made.blocks[0] = count;
    for (int s = 0; s < table.count; ++s)
      made.blocks[s + 1] = count += quotient_up(table.begins[s + 1] - table.begins[s], norm_block);
    tables.push_back(made);
  }
  return tables;
}

template <class Rule>
struct MeasureBody {
  static constexpr int states = Rule::states;
  Rule rule;
  graph::Guard guard;
  const graph::Scalars* scalars;
  const float* squared_norm;
  const float* w;  ///< null if only gradients are measured
  AnyFloats g;
  const float* s[2];
  float* s_out[2];
  FloatPair* sums;
  BlockTable table;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const auto shared = step_of(team, rule, scalars, guard, squared_norm);
    for (std::int64_t block = table.first() + team.index(); block < table.last(); block += team.count()) {
      const int segment = table.find(block);
      const auto terms = shared.step.terms(table.segments.exempts[segment], nullptr);
      const std::int64_t begin = table.segments.begins[segment] + (block - table.blocks[segment]) * norm_block;
      const std::int64_t limit = table.segments.begins[segment + 1];
      const std::int64_t end = begin + norm_block < limit ? begin + norm_block : limit;
      const FloatPair sum = team.reduce(Sum{}, [&](int thread) {
        FloatPair part{0, 0};
        for (std::int64_t i = begin + thread; i < end; i += team.threads()) part = part + at(shared, terms, i);
        return part;
      });
      team.each([&](int thread) {
        if (thread == 0) sums[block] = sum;
      });
    }
  }

 private:
  template <class Step>
  DDLBENCH_DEVICE FloatPair at(const StepAndGate<Step>& shared, const TensorTerms<float>& terms, std::int64_t i) const {
    float kept[2] = {};
    for (int k = 0; k < states; ++k) kept[k] = s[k][i];
    RowTerms<float> made{0, 0};
    if (!shared.gate.skips) {
      const float slope = g.load_at<1>(i).of[0] * shared.gate.scale;
      made = shared.step.measure(w == nullptr ? 0.0f : w[i], slope, kept, terms);
    }
    for (int k = 0; k < states; ++k) s_out[k][i] = kept[k];
    return {made.first, made.second};
  }
};

DDLBENCH_DEVICE DoublePair sum_of_blocks(auto& team, const FloatPair* sums, std::int64_t begin, std::int64_t end) {
  return team.reduce(Sum{}, [&](int thread) {
    DoublePair part{0, 0};
    for (std::int64_t i = begin + thread; i < end; i += team.threads()) part = part + DoublePair{sums[i].a, sums[i].b};
    return part;
  });
}

/// Writes the rows of the segments of one launch: two sums for each tensor.
struct RowsBody {
  const FloatPair* sums;
  float* rows;
  BlockTable table;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t s = team.index(); s < table.segments.count; s += team.count()) {
      const DoublePair sum = sum_of_blocks(team, sums, table.blocks[s], table.blocks[s + 1]);
      team.each([&](int thread) {
        float* row = rows + 2 * table.segments.tensors[s];
        if (thread < 2) row[thread] = static_cast<float>(thread == 0 ? sum.a : sum.b);
      });
    }
  }
};

struct ZeroRowsBody {
  float* values;
  std::int64_t size;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, size, [&](std::int64_t i) { values[i] = 0; });
  }
};

struct SquaredNormSumBody {
  const FloatPair* sums;
  float* norm;
  std::int64_t blocks;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const DoublePair sum = sum_of_blocks(team, sums, 0, blocks);
    team.each([&](int thread) {
      if (thread == 0) store_one(norm, static_cast<float>(sum.b), accumulate);
    });
  }
};

inline std::size_t bytes_of_sums(const std::vector<BlockTable>& tables) {
  return tables.empty() ? 0 : static_cast<std::size_t>(tables.back().last()) * sizeof(FloatPair);
}

template <class Rule, class Launcher>
std::unique_ptr<Kernel> bind_measure(const Binding& binding, const Launcher& launcher, const Rule& rule) {
  constexpr int states = Rule::states;
  const auto z = sizes_of_measure(binding, states);
  const auto tables = block_tables_of(z.segments);
  const std::string name(binding.op->kind());
  return make_kernel(binding, bytes_of_sums(tables), [=](const Arguments& a) {
    auto* sums = static_cast<FloatPair*>(a.workspace);
    float* rows = output(a, states);
    launcher.items(name.c_str(), 2 * z.tensors, ZeroRowsBody{rows, 2 * z.tensors});
    for (const BlockTable& table : tables) {
      MeasureBody<Rule> body{rule,        z.guard,
                             a.scalars,   z.squared_norm < 0 ? nullptr : input(a, z.squared_norm),
                             input(a, 0), {a.inputs[1], z.gradient},
                             {},          {},
                             sums,        table};
      for (int k = 0; k < states; ++k) {
        body.s[k] = input(a, 2 + k);
        body.s_out[k] = output(a, k);
      }
      launcher.blocks(name.c_str(), table.last() - table.first(), body);
      launcher.blocks(name.c_str(), table.segments.count, RowsBody{sums, rows, table});
    }
  });
}

std::unique_ptr<Kernel> bind_lamb_measure(const Binding& binding, const auto& launcher) {
  return bind_measure(binding, launcher, LambRule(attributes_of<graph::LambMeasure>(binding)));
}

std::unique_ptr<Kernel> bind_tensor_norms(const Binding& binding, const auto& launcher) {
  return bind_measure(binding, launcher, NormRule{});
}

std::unique_ptr<Kernel> bind_squared_norm(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_squared_norm(binding);
  const auto tables = block_tables_of(z.segments);
  return make_kernel(binding, bytes_of_sums(tables), [=, accumulate = binding.accumulate](const Arguments& a) {
    auto* sums = static_cast<FloatPair*>(a.workspace);
    std::int64_t blocks = 0;
    for (const BlockTable& table : tables) {
      const MeasureBody<NormRule> body{NormRule{}, {}, a.scalars, nullptr, nullptr, {a.inputs[0], z.gradient},
                                       {},         {}, sums,      table};
      blocks = table.last();
      launcher.blocks("squared_norm", blocks - table.first(), body);
    }
    launcher.blocks("squared_norm", 1, SquaredNormSumBody{sums, output(a, 0), blocks, accumulate});
  });
}

}  // namespace ddlbench::kernels::own
