#pragma once

#include <cstdint>

#include "kernels/binding.h"

/// Sizes of a transformer's ops, taken from the types on this rank. Each function throws InputError if the types are
/// inconsistent or the device does not support their `storage`.
namespace ddlbench::kernels {

/// The number of tokens in all samples, and the table's rows and columns.
struct EmbeddingSizes {
  std::int64_t tokens = 0, vocabulary = 0, features = 0;
};

EmbeddingSizes sizes_of_embedding(const Binding& binding, Storage storage = Storage::f32);
EmbeddingSizes sizes_of_embedding_backward_weight(const Binding& binding, Storage storage = Storage::f32);

/// The number of samples, and the elements of one sample; the same positions are added to each.
struct PositionSizes {
  std::int64_t samples = 0, elements = 0;
};

PositionSizes sizes_of_add_positions(const Binding& binding, Storage storage = Storage::f32);
PositionSizes sizes_of_add_positions_backward_weight(const Binding& binding, Storage storage = Storage::f32);

/// The rows, each normalised over its features.
struct NormSizes {
  std::int64_t rows = 0, features = 0;
};

NormSizes sizes_of_layer_norm(const Binding& binding, Storage storage = Storage::f32);
NormSizes sizes_of_layer_norm_backward_input(const Binding& binding, Storage storage = Storage::f32);
NormSizes sizes_of_layer_norm_backward_weight(const Binding& binding, Storage storage = Storage::f32);

struct AttentionSizes {
  std::int64_t batch = 0, positions = 0, heads = 0, head_size = 0;

  constexpr std::int64_t qkv_row() const { return heads * 3 * head_size; }  ///< features of one position of qkv
  constexpr std::int64_t y_row() const { return heads * head_size; }        ///< features of one position of y
  /// These return the index of the first element (position 0) of sample b and head h.
  constexpr std::int64_t qkv_offset(std::int64_t b, std::int64_t h) const {
    return b * positions * qkv_row() + h * 3 * head_size;
  }
  constexpr std::int64_t y_offset(std::int64_t b, std::int64_t h) const {
    return b * positions * y_row() + h * head_size;
  }
  constexpr std::int64_t statistics_offset(std::int64_t b, std::int64_t h) const { return (b * heads + h) * positions; }
};

AttentionSizes sizes_of_attention(const Binding& binding, Storage storage = Storage::f32);
AttentionSizes sizes_of_attention_backward(const Binding& binding, Storage storage = Storage::f32);

}  // namespace ddlbench::kernels
