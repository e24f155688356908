#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "graph/error.h"
#include "workloads/datasets/datasets.h"

namespace ddlbench::workloads {
namespace {

constexpr int byte_values = 256;

/// Bytes of one split, cut into windows that share one byte with the next: sample i has the tokens
/// [i·length, (i + 1)·length), and its labels are the tokens one further on.
class Text final : public Dataset {
 public:
  Text(std::string bytes, std::int64_t length)
      : shape_{{{length}, graph::DType::i32}, {length}, byte_values}, bytes_(std::move(bytes)), length_(length) {}

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return (static_cast<std::int64_t>(bytes_.size()) - 1) / length_; }

  void read(std::int64_t index, void* values, std::int32_t* labels) const override {
    require(index >= 0 && index < size(), "text: sample index outside the data set");
    const char* const window = bytes_.data() + index * length_;
    auto* tokens = static_cast<std::int32_t*>(values);
    for (std::int64_t i = 0; i < length_; ++i) {
      tokens[i] = static_cast<unsigned char>(window[i]);
      labels[i] = static_cast<unsigned char>(window[i + 1]);
    }
  }

 private:
  SampleShape shape_;
  std::string bytes_;
  std::int64_t length_;
};

std::string read_bytes(const std::string& path, std::int64_t begin, std::int64_t end) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(end - begin), '\0');
  errno = 0;
  if (!file.seekg(begin) || !file.read(bytes.data(), end - begin)) {
    throw BadData(path + ": cannot read bytes " + std::to_string(begin) + " to " + std::to_string(end) +
                  (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  }
  return bytes;
}

std::int64_t size_of_file(const std::string& path) {
  if (path.empty()) throw InputError("text: the option path must name a text file; it has no default");
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw BadData(path + ": there is no such file; name a text file in the option path");
  }
  return static_cast<std::int64_t>(std::filesystem::file_size(path));
}

std::unique_ptr<Dataset> open(const graph::OptionValues& options, Split split) {
  const auto& path = graph::value_of<std::string>(options, "path");
  const auto length = graph::value_of<std::int64_t>(options, "sequence_length");
  const auto fraction = graph::value_of<double>(options, "validation_fraction");
  const std::int64_t size = size_of_file(path);
  const auto cut = size - static_cast<std::int64_t>(static_cast<double>(size) * fraction);
  const std::int64_t begin = split == Split::training ? 0 : cut, end = split == Split::training ? cut : size;
  if (end - begin < length + 1) {
    throw BadData(path + ": has " + std::to_string(size) + " bytes, of which " + std::to_string(end - begin) +
                  " are for " + (split == Split::training ? "training" : "validation") + ", but one sample takes " +
                  std::to_string(length + 1) +
                  "; use a longer text, a smaller sequence_length or another "
                  "validation_fraction");
  }
  return std::make_unique<Text>(read_bytes(path, begin, end), length);
}

}  // namespace

DatasetKind text() {
  return {"text",
          "a file by bytes: each sample a stretch of it, the labels its next bytes",
          {{"path", std::string(), "the file; it must be named"},
           {"sequence_length", std::int64_t{64}, "bytes of a sample", 1, {}, 1 << 20},
           {"validation_fraction", 0.1, "of the file, from its end, that is kept from training", 0, {}, 1}},
          open};
}

}  // namespace ddlbench::workloads
