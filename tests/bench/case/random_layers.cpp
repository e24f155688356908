#include "random_layers.h"

#include <sstream>
#include <vector>

#include "dice.h"

namespace ddlbench::test {

namespace {

using graph::Shape;

struct Made {
  std::string name;
  Shape shape;  ///< of one sample
};

/// Returns the number of positions of a window of `kernel` elements, `dilation` apart, along `size`; 0 if it does not
/// fit.
std::int64_t window_positions(std::int64_t size, int kernel, int stride, int padding, int dilation = 1) {
  const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

std::vector<int> divisors(std::int64_t channels) {
  std::vector<int> all;
  for (int d = 1; d <= channels; ++d)
    if (channels % d == 0) all.push_back(d);
  return all;
}

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : dice_(seed) {}

  RandomLayers draw() && {
    result_.is_text = dice_.below(5) == 0;
    samples_ = dice_.one_of({0, 2, 2});
    if (result_.is_text)
      draw_text();
    else
      draw_image();
    linear(random_classes, "none");
    json_ << "]}";
    result_.json = json_.str();
    return std::move(result_);
  }

 private:
  void begin(const Shape& sample) {
    result_.sample = sample;
    json_ << R"({"name": "random", "sample": {"shape": [)";
    for (std::size_t d = 0; d < sample.size(); ++d) json_ << (d == 0 ? "" : ", ") << sample[d];
    json_ << "]" << (result_.is_text ? R"(, "type": "i32")" : "") << R"(, "classes": )" << random_classes
          << R"(}, "layers": [)";
    made_.push_back({"input", sample});
  }

  const Shape& shape() const { return made_.back().shape; }

  /// Appends a layer. Its input is the last layer's output unless `inputs` are named.
  void add(const std::string& kind, const std::string& settings, Shape shape,
           const std::vector<std::string>& inputs = {}) {
    const std::string name = "l" + std::to_string(made_.size());
    json_ << (made_.size() == 1 ? "" : ",") << "\n {\"kind\": \"" << kind << "\", \"name\": \"" << name << "\""
          << settings;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      json_ << (i == 0 ? R"(, "inputs": [")" : R"(", ")") << inputs[i] << (i + 1 == inputs.size() ? "\"]" : "");
    json_ << "}";
    made_.push_back({name, std::move(shape)});
  }

  /// Returns the inputs of a layer that takes the last tensor and another one.
  std::vector<std::string> last_and(const std::string& other) const { return {made_.back().name, other}; }

  static std::string setting(const std::string& name, std::int64_t value) {
    return ", \"" + name + "\": " + std::to_string(value);
  }

  std::string bias_and(const std::string& activation) {
    return std::string(", \"bias\": ") + (dice_.coin() ? "true" : "false") + ", \"activation\": \"" + activation + "\"";
  }

  /// Returns the name of an earlier tensor with the shape of the last one; empty if there is none.
  std::string earlier_of_this_shape() {
    std::vector<std::string> names;
    for (std::size_t i = result_.is_text ? 1 : 0; i + 1 < made_.size(); ++i)
      if (made_[i].shape == shape()) names.push_back(made_[i].name);
    return names.empty() ? "" : dice_.one_of(names);
  }

  void linear(std::int64_t features, const std::string& activation) {
    Shape to = shape();
    to.back() = features;
    add("linear", setting("features", features) + bias_and(activation), to);
  }

  void convolution() {
    const Shape x = shape();
    const int groups = dice_.coin() ? 1 : dice_.one_of(divisors(x[0]));
    const std::int64_t out = groups * dice_.one_of(groups == 1   ? std::vector{3, 4, 6, 8}
                                                   : groups == 2 ? std::vector{2, 3, 4}
                                                                 : std::vector{1, 2, 3});
    const int kernel = dice_.one_of({1, 2, 3}), stride = dice_.one_of({1, 1, 2}), padding = dice_.one_of({0, 1}),
              dilation = dice_.one_of({1, 1, 2});
    const std::int64_t h = window_positions(x[1], kernel, stride, padding, dilation),
                       w = window_positions(x[2], kernel, stride, padding, dilation);
    if (h < 1 || w < 1 || out > 12) return;
    const std::string from = made_.back().name;
    const auto one = [&](int blocks) {
      add("conv2d",
          setting("channels", out) + setting("kernel", kernel) + setting("stride", stride) +
              setting("padding", padding) + setting("dilation", dilation) + setting("groups", blocks) +
              bias_and(dice_.one_of({"none", "relu"})),
          {out, h, w}, {from});
    };
    one(groups);
    if (dice_.below(4) != 0) return;
    const std::string beside = made_.back().name;  // a second branch
    one(out % x[0] == 0 ? static_cast<int>(x[0]) : 1);
    add("add", "", shape(), last_and(beside));
  }

  void pool() {
    const Shape x = shape();
    const int kernel = dice_.one_of({2, 3}), stride = dice_.one_of({1, 2}), padding = dice_.one_of({0, 1});
    const std::int64_t h = window_positions(x[1], kernel, stride, padding),
                       w = window_positions(x[2], kernel, stride, padding);
    if (h < 2 || w < 2) return;
    add(dice_.one_of({"max_pool2d", "average_pool2d"}),
        setting("kernel", kernel) + setting("stride", stride) + setting("padding", padding), {x[0], h, w});
  }

  void batch_norm() {
    if (samples_ > 0 && shape().size() == 1) return;  // with two numbers per statistic, these become ±1 for any input
    const std::string residual = dice_.coin() ? earlier_of_this_shape() : "";
    add("batch_norm",
        setting("samples_per_statistic", samples_) + ", \"activation\": \"" + dice_.one_of({"none", "relu"}) + "\"",
        shape(), residual.empty() ? std::vector<std::string>{} : last_and(residual));
  }

  /// Appends a layer that accepts any shape.
  void simple() {
    const Shape x = shape();
    switch (dice_.below(5)) {
      case 0:
        return add("dropout", R"(, "rate": 0.2)", x);
      case 1:
        return add("gelu", "", x);
      case 2:
        if (x.back() >= 4) add("layer_norm", "", x);
        return;
      case 3:
        if (const std::string other = earlier_of_this_shape(); !other.empty()) add("add", "", x, last_and(other));
        return;
      default:
        return batch_norm();
    }
  }

  void draw_image() {
    const std::int64_t side = dice_.one_of({6, 7, 8});
    begin({dice_.one_of({1, 3, 4, 6, 9}), side, side});
    const int body = 2 + dice_.below(6);
    for (int i = 0; i < body; ++i) {
      switch (dice_.below(8)) {
        case 0:
          pool();
          break;
        case 1:
        case 2:
          simple();
          break;
        case 3:
          if (dice_.below(3) == 0) linear(dice_.one_of({4, 6}), dice_.one_of({"none", "relu"}));
          break;
        default:
          convolution();
      }
    }
    if (dice_.below(3) == 0) {
      const std::int64_t h = dice_.one_of({1, 2, 3}), w = dice_.one_of({1, 2, 3});
      add("adaptive_average_pool2d", setting("height", h) + setting("width", w), {shape()[0], h, w});
    }
    add("flatten", "", {graph::elements(shape())});
    const int head = dice_.below(5);
    for (int i = 0; i < head; ++i) {
      if (dice_.below(4) == 0)
        simple();
      else
        linear(dice_.one_of({6, 8, 12}), dice_.one_of({"none", "relu"}));
    }
  }

  void draw_text() {
    const std::int64_t tokens = 6, features = dice_.one_of({8, 12});
    begin({tokens});
    add("embedding", setting("rows", random_classes) + setting("features", features) + R"(, "deviation": 0.5)",
        {tokens, features});
    if (dice_.coin()) add("positions", R"(, "deviation": 0.5)", {tokens, features});
    const int blocks = 1 + dice_.below(2);
    for (int i = 0; i < blocks; ++i) {
      const std::string before = made_.back().name;
      const bool has_residual = made_.size() > 2;
      if (dice_.coin()) add("layer_norm", "", {tokens, features});
      linear(3 * features, "none");
      add("attention", setting("heads", dice_.one_of(features == 12 ? std::vector{2, 3, 6} : std::vector{2, 4})),
          {tokens, features});
      linear(features, dice_.one_of({"none", "relu"}));
      if (has_residual && dice_.below(3) != 0) add("add", "", {tokens, features}, last_and(before));
      if (dice_.coin()) simple();
      const std::string between = made_.back().name;
      linear(2 * features, dice_.one_of({"none", "relu"}));
      if (dice_.coin()) simple();
      linear(features, dice_.one_of({"none", "relu"}));
      if (dice_.below(3) != 0) add("add", "", {tokens, features}, last_and(between));
    }
    if (dice_.coin()) simple();
  }

  Dice dice_;
  int samples_ = 0;  ///< that share a statistic
  RandomLayers result_;
  std::ostringstream json_;
  std::vector<Made> made_;
};

}  // namespace

RandomLayers random_layers(std::uint64_t seed) {
  return Drawing(seed).draw();
}

}  // namespace ddlbench::test
