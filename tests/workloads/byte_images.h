#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/random.h"
#include "workloads/tiny_idx.h"

/// Small data sets of images that are stored as bytes.
namespace ddlbench::workloads {

/// Returns random bytes drawn for `name`, among them 0 and 255.
inline Bytes drawn_bytes(const std::string& name, std::size_t size) {
  const std::uint64_t key = graph::random_key(1, graph::Purpose::synthetic_data, name);
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(graph::philox(key, 0, i).v[0]);
  if (size > 1) bytes[0] = 0, bytes[1] = 255;
  return bytes;
}

/// Writes grey images of `side` × `side` in four classes, with the label encoded in the pixels.
inline void write_idx_images(const std::filesystem::path& folder, std::uint32_t training, std::uint32_t validation,
                             std::uint32_t side) {
  for (const auto& [name, count] : {std::pair{std::string("train"), training}, {"t10k", validation}}) {
    Bytes labels, images = drawn_bytes(name, std::size_t{count} * side * side);
    for (std::uint32_t i = 0; i < count; ++i) {
      labels.push_back(static_cast<std::uint8_t>(i * 7 % 4));
      for (std::uint32_t j = 0; j < side; ++j) images[i * side * side + j * 4 + labels.back()] = 255;
    }
    write_plain(folder / (name + "-images-idx3-ubyte"), idx_bytes({count, side, side}, images));
    write_plain(folder / (name + "-labels-idx1-ubyte"), idx_bytes({count}, labels));
  }
}

/// Writes CIFAR-100 in its binary form, with the given numbers of images.
inline void write_cifar_images(const std::filesystem::path& folder, int training, int validation) {
  for (const auto& [name, count] : {std::pair{std::string("train.bin"), training}, {"test.bin", validation}}) {
    Bytes records = drawn_bytes(name, static_cast<std::size_t>(count) * 3074);
    for (int i = 0; i < count; ++i) {
      records[static_cast<std::size_t>(i) * 3074] = static_cast<std::uint8_t>(i % 20);
      records[static_cast<std::size_t>(i) * 3074 + 1] = static_cast<std::uint8_t>(i % 100);
    }
    write_plain(folder / name, records);
  }
}

}  // namespace ddlbench::workloads
