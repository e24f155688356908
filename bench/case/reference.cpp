#include "bench/case/reference.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace ddlbench::bench {
namespace {

// The file: "ddlbench reference 1", key, losses, five lists of tensors, four deviations; numbers as they lie in
// memory, each list and text behind its length. Whoever reads it runs on the machine that wrote it.

constexpr const char* title = "ddlbench reference 1";

class Writer {
 public:
  explicit Writer(const std::string& path) : out_(path, std::ios::binary | std::ios::trunc) {}

  template <class T>
  void values(const T* data, std::size_t count) {
    const auto length = static_cast<std::uint64_t>(count);
    out_.write(reinterpret_cast<const char*>(&length), sizeof length);
    out_.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
  }
  void text(const std::string& text) { values(text.data(), text.size()); }
  void tensors(const runtime::Tensors& tensors) {
    const auto count = static_cast<std::uint64_t>(tensors.size());
    values(&count, 1);
    for (const auto& [name, data] : tensors) {
      text(name);
      values(data.data(), data.size());
    }
  }
  bool close() {
    out_.close();
    return !out_.fail();
  }

 private:
  std::ofstream out_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : in_(path, std::ios::binary) {
    std::error_code error;
    left_ = std::filesystem::file_size(path, error);
    if (error) left_ = 0;
  }

  /// Empty, and no longer sound, where the file does not hold so many.
  template <class Values>
  Values values() {
    Values read;
    std::uint64_t length = 0;
    if (!take(&length, sizeof length) || length > left_ / sizeof(typename Values::value_type)) {
      sound_ = false;
      return read;
    }
    read.resize(static_cast<std::size_t>(length));
    take(read.data(), read.size() * sizeof(typename Values::value_type));
    return read;
  }
  std::string text() { return values<std::string>(); }
  runtime::Tensors tensors() {
    runtime::Tensors tensors;
    const auto count = values<std::vector<std::uint64_t>>();
    for (std::uint64_t i = 0; sound_ && count.size() == 1 && i < count[0]; ++i) {
      const std::string name = text();
      tensors[name] = values<std::vector<float>>();
    }
    return tensors;
  }
  bool at_end() const { return sound_ && left_ == 0; }
  bool sound() const { return sound_; }

 private:
  bool take(void* to, std::size_t bytes) {
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    sound_ = sound_ && static_cast<std::size_t>(in_.gcount()) == bytes && bytes <= left_;
    if (sound_) left_ -= bytes;
    return sound_;
  }

  std::ifstream in_;
  std::uintmax_t left_ = 0;
  bool sound_ = true;
};

/// The lists of tensors, in their order in the file; of a trace that is const or not.
template <class Trace>
auto lists_of(Trace& trace) {
  return std::array{&trace.initial, &trace.first_gradients, &trace.final, &trace.initial_statistics,
                    &trace.final_statistics};
}

std::uintmax_t bytes_of(const Reference& reference) {
  std::uintmax_t bytes = 0;
  for (const auto* tensors : lists_of(reference.trace))
    for (const auto& [name, data] : *tensors) bytes += data.size() * sizeof(float);
  return bytes;
}

}  // namespace

std::string keep_reference(const std::string& file, const std::string& key, const Reference& reference) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const auto space = std::filesystem::space(std::filesystem::path(file).parent_path(), error);
  if (error) return file + ": " + error.message();
  if (space.available / 2 < bytes_of(reference)) return "it would take more than half of the room on the disk";
  const std::string beside = file + ".part";
  Writer writer(beside);
  writer.text(title);
  writer.text(key);
  writer.values(reference.trace.losses.data(), reference.trace.losses.size());
  for (const auto* tensors : lists_of(reference.trace)) writer.tensors(*tensors);
  const std::array noise{reference.noise.loss, reference.noise.gradient, reference.noise.update,
                         reference.noise.statistic};
  writer.values(noise.data(), noise.size());
  if (writer.close() && std::rename(beside.c_str(), file.c_str()) == 0) return "";
  std::filesystem::remove(beside, error);
  return beside + " could not be written";
}

std::optional<Reference> kept_reference(const std::string& file, const std::string& key) {
  Reader reader(file);
  if (reader.text() != title || reader.text() != key) return std::nullopt;
  Reference reference;
  reference.trace.losses = reader.values<std::vector<double>>();
  for (auto* tensors : lists_of(reference.trace)) *tensors = reader.tensors();
  const auto noise = reader.values<std::vector<double>>();
  if (!reader.at_end() || noise.size() != 4) return std::nullopt;
  reference.noise = {noise[0], noise[1], noise[2], noise[3]};
  return reference;
}

}  // namespace ddlbench::bench
