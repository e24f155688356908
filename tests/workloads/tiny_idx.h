#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ddlbench::workloads {

using Bytes = std::vector<std::uint8_t>;

/// Returns an idx file of unsigned bytes.
inline Bytes idx_bytes(const std::vector<std::uint32_t>& dimensions, const Bytes& elements) {
  Bytes file{0, 0, 8, static_cast<std::uint8_t>(dimensions.size())};
  for (const std::uint32_t size : dimensions) {
    for (int shift = 24; shift >= 0; shift -= 8) file.push_back(static_cast<std::uint8_t>(size >> shift));
  }
  file.insert(file.end(), elements.begin(), elements.end());
  return file;
}

inline void write_plain(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
}

inline void write_gzip(const std::filesystem::path& path, const Bytes& bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

inline Bytes read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Writes three training samples of 2x2 (element j of sample i is 10·i + j, label i) and two validation samples.
inline void write_tiny(const std::filesystem::path& folder) {
  write_plain(folder / "train-images-idx3-ubyte", idx_bytes({3, 2, 2}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
  write_plain(folder / "train-labels-idx1-ubyte", idx_bytes({3}, {0, 1, 2}));
  write_gzip(folder / "t10k-images-idx3-ubyte.gz", idx_bytes({2, 2, 2}, {0, 255, 0, 255, 255, 0, 255, 0}));
  write_gzip(folder / "t10k-labels-idx1-ubyte.gz", idx_bytes({2}, {1, 0}));
}

}  // namespace ddlbench::workloads
