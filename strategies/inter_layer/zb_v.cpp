#include "strategies/inter_layer/fill_weights.h"

namespace ddlbench::strategies {
namespace {

/// Appends the next work of one kind on each chunk, and leaves out micro-batches that the step lacks.
class Order {
 public:
  explicit Order(int microbatches) : microbatches_(microbatches) {}

  void forward(int chunk) { add(Work::Kind::forward, chunk, forwards_[chunk]); }
  void input(int chunk) { add(Work::Kind::backward_input, chunk, inputs_[chunk]); }
  bool is_complete() const { return inputs_[0] >= microbatches_ && inputs_[1] >= microbatches_; }
  std::vector<Work> take() && { return std::move(order_); }

 private:
  void add(Work::Kind kind, int chunk, int& next) {
    if (next < microbatches_) order_.push_back({kind, chunk, next++});
  }

  int microbatches_;
  int forwards_[2] = {0, 0}, inputs_[2] = {0, 0};
  std::vector<Work> order_;
};

/// Returns the forwards and input halves of a rank, which has the stages `rank` and 2p − 1 − `rank`.
std::vector<Work> order_of(const Pipeline& pipeline, int rank) {
  Order order(pipeline.microbatches);
  for (int i = 0; i < 2 * (pipeline.ranks - rank) - 1; ++i) order.forward(0);
  for (int i = 0; i < rank; ++i) {
    order.forward(1);
    order.forward(0);
  }
  for (int i = 0; i < pipeline.ranks - rank; ++i) {
    order.forward(1);
    order.input(1);
  }
  while (!order.is_complete()) {
    order.forward(0);
    order.input(0);
    order.forward(1);
    order.input(1);
  }
  return std::move(order).take();
}

/// Where F = B = W and m ≥ 2p − 1, no rank waits between its own first and last work. At most 2p chunks' activations
/// are held, as much as 1F1B holds on its first stage.
std::vector<std::vector<Work>> zb_v_orders(const Pipeline& pipeline) {
  std::vector<std::vector<Work>> orders;
  for (int i = 0; i < pipeline.ranks; ++i) orders.push_back(order_of(pipeline, i));
  return fill_weights(pipeline, orders, {2 * pipeline.ranks}).orders;
}

}  // namespace

ScheduleKind zb_v() {
  return {
      "zb_v",
      "ZB-V: like zb_h1, with two chunks of the model on each rank, from the first rank to the last and back (Qi et "
      "al. 2024)",
      zb_v_orders,
      2,
      1,
      ChunkOrder::wave};
}

}  // namespace ddlbench::strategies
