#include "runtime/checkpoint/safetensors.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <filesystem>

#include "base/error.h"
#include "base/hash.h"
#include "kernels/rewrite/convert.h"
#include "runtime/checkpoint/header_reader.h"

namespace ddlbench::runtime {
namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors are little-endian, and are copied without conversion");

constexpr std::int64_t length_bytes = 8;
constexpr std::int64_t block = 1 << 16;  ///< elements converted at once

/// Throws if the file is what torch.save writes: a zip archive, or before PyTorch 1.6 a pickle. Either begin could also
/// be the length of a header, which then begins with a brace.
void reject_torch_file(const InputFile& file, std::uint64_t length) {
  const bool is_zip = (length & 0xFFFFFFFF) == 0x04034B50;  // "PK\3\4"
  const bool is_pickle = (length & 0xFF) == 0x80 && (length >> 8 & 0xFF) >= 2 && (length >> 8 & 0xFF) <= 5;
  char behind = '{';
  if ((is_zip || is_pickle) && file.bytes() > length_bytes) file.read(length_bytes, &behind, 1);
  if (behind == '{') return;
  const std::string to = std::filesystem::path(file.path()).stem().string() + ".safetensors";
  throw InputError(fmt::format(
      "{}: is a file of PyTorch's torch.save, not safetensors; two lines of Python convert it: "
      "`import torch, safetensors.torch` and `safetensors.torch.save_file(torch.load({}, map_location=\"cpu\", "
      "weights_only=True), {})`",
      file.path(), shown(file.path()), shown(to)));
}

std::string header_of(const InputFile& file) {
  if (file.bytes() < length_bytes) {
    throw InputError(
        fmt::format("{}: is not a safetensors file: it has {} bytes, and the header's length alone takes 8",
                    file.path(), file.bytes()));
  }
  std::uint64_t length = 0;
  file.read(0, &length, length_bytes);
  reject_torch_file(file, length);
  if (length > static_cast<std::uint64_t>(longest_header)) {
    throw InputError(
        fmt::format("{}: is not a safetensors file: its header would have {} bytes, and at most {} are read",
                    file.path(), length, longest_header));
  }
  const auto room = static_cast<std::uint64_t>(file.bytes() - length_bytes);
  if (length > room) {
    throw InputError(fmt::format(
        "{}: its header would have {} bytes, but only {} follow: it was truncated, or is not a safetensors file",
        file.path(), length, room));
  }
  std::string header(static_cast<std::size_t>(length), '\0');
  file.read(length_bytes, header.data(), static_cast<std::int64_t>(length));
  return header;
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::string& path) : file_(path) {
  const std::string json = header_of(file_);
  data_ = length_bytes + static_cast<std::int64_t>(json.size());
  header_ = parse_header(json, file_.bytes() - data_, path);
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) index_[header_.tensors[i].name] = i;
}

const StoredTensor* SafetensorsReader::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.tensors[found->second];
}

bool SafetensorsReader::has_values(const StoredTensor& tensor) {
  return tensor.dtype == "F32" || tensor.dtype == "BF16" || tensor.dtype == "F16";
}

void SafetensorsReader::read(const StoredTensor& tensor, std::int64_t first, std::int64_t count, float* values) const {
  require(first >= 0 && count >= 0 && first <= elements(tensor) - count,
          "elements beyond the end of '" + tensor.name + "' are read");
  if (!has_values(tensor)) {
    throw InputError(fmt::format("{}: tensor {} is of {}; only F32, BF16 and F16 can be read", path(),
                                 shown(tensor.name), tensor.dtype));
  }
  const std::int64_t size = bytes_of_stored_type(tensor.dtype);
  const std::int64_t begin = data_ + tensor.begin + first * size;
  if (tensor.dtype == "F32") return file_.read(begin, values, count * size);
  const graph::DType dtype = tensor.dtype == "BF16" ? graph::DType::bf16 : graph::DType::f16;
  std::vector<std::uint16_t> stored(static_cast<std::size_t>(std::min(count, block)));
  for (std::int64_t done = 0; done < count; done += block) {
    const std::int64_t now = std::min(block, count - done);
    file_.read(begin + done * size, stored.data(), now * size);
    kernels::widen(1, dtype, stored.data(), values + done, now);
  }
}

std::string SafetensorsReader::require_undamaged() const {
  constexpr std::int64_t at_once = 1 << 20;
  std::string bytes(static_cast<std::size_t>(std::min(file_.bytes(), at_once)), '\0');
  std::uint64_t all = fnv1a({}), tensors = fnv1a({});
  for (std::int64_t at = 0; at < file_.bytes();) {
    const std::int64_t end = at < data_ ? data_ : file_.bytes();
    const std::int64_t count = std::min(end - at, at_once);
    file_.read(at, bytes.data(), count);
    const std::string_view part(bytes.data(), static_cast<std::size_t>(count));
    all = fnv1a(part, all);
    if (at >= data_) tensors = fnv1a(part, tensors);
    at += count;
  }
  const auto told = metadata().find(SafetensorsWriter::digest_key);
  if (told != metadata().end() && told->second != hexadecimal(tensors)) {
    throw InputError(
        fmt::format("{}: its tensors were changed since they were written: their digest is {}, but the header says {}; "
                    "copy the file again, or load another checkpoint",
                    path(), hexadecimal(tensors), shown(told->second)));
  }
  return hexadecimal(all);
}

SafetensorsWriter::SafetensorsWriter(const std::string& path, SafetensorsHeader header, Durability durability)
    : file_(path, durability), header_(std::move(header)) {
  const std::string placeholder = hexadecimal(0);
  const bool noted = header_.metadata.count(digest_key) > 0;
  if (noted) header_.metadata[digest_key] = placeholder;
  const std::string json = write_header(header_);
  if (noted) {
    const std::string entry = std::string("\"") + digest_key + "\":\"";
    const std::size_t at = json.find(fmt::format("{}{}\"", entry, placeholder));
    require(at != std::string::npos, "the header has the given metadata");
    digest_at_ = length_bytes + static_cast<std::int64_t>(at + entry.size());
  }
  const std::uint64_t length = json.size();
  file_.write(&length, sizeof length);
  file_.write(json.data(), json.size());
}

void SafetensorsWriter::put(const char* dtype, const void* bytes, std::int64_t count, std::int64_t element_bytes) {
  while (next_ < header_.tensors.size() && header_.tensors[next_].end == written_) ++next_;
  require(next_ < header_.tensors.size() && header_.tensors[next_].dtype == dtype &&
              written_ + count * element_bytes <= header_.tensors[next_].end,
          "values come in the order and number of the header");
  const auto size = static_cast<std::size_t>(count * element_bytes);
  digest_ = fnv1a({static_cast<const char*>(bytes), size}, digest_);
  file_.write(bytes, size);
  written_ += count * element_bytes;
}

void SafetensorsWriter::write(const float* values, std::int64_t count) {
  if (count == 0) return;
  while (next_ < header_.tensors.size() && header_.tensors[next_].end == written_) ++next_;
  require(next_ < header_.tensors.size(), "values come after the last tensor");
  const std::string dtype = header_.tensors[next_].dtype;
  if (dtype != "BF16" && dtype != "F16") return put("F32", values, count, sizeof(float));
  std::vector<std::uint16_t> stored(static_cast<std::size_t>(std::min(count, block)));
  for (std::int64_t done = 0; done < count; done += block) {
    const std::int64_t now = std::min(block, count - done);
    kernels::narrow(1, dtype == "BF16" ? graph::DType::bf16 : graph::DType::f16, values + done, stored.data(), now);
    put(dtype.c_str(), stored.data(), now, sizeof(std::uint16_t));
  }
}

void SafetensorsWriter::write(const std::int64_t* values, std::int64_t count) {
  if (count > 0) put("I64", values, count, sizeof(std::int64_t));
}

void SafetensorsWriter::finish() {
  require(header_.tensors.empty() || header_.tensors.back().end == written_, "every tensor of the header was written");
  text_of_digest_ = hexadecimal(digest_);
  if (digest_at_ >= 0) {
    file_.overwrite(digest_at_, text_of_digest_.data(), text_of_digest_.size());
  }
  file_.sync();
}

void SafetensorsWriter::commit() {
  require(!text_of_digest_.empty(), "a file must be finished before it is committed");
  file_.commit();
}

}  // namespace ddlbench::runtime
