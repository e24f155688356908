#pragma once

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/gloo/frame.h"
#include "comm/gloo/mailbox.h"

namespace ddlbench::comm::gloo {

/// A message to another process. A node of an intrusive list, so posting does not allocate.
struct Shipment {
  enum class State : std::uint8_t { idle, queued, sending, done, broken };
  Frame frame;
  const std::byte* data = nullptr;
  std::unique_ptr<::gloo::transport::UnboundBuffer> buffer;  ///< around `data`, for a message that is sent in pieces
  std::atomic<State> state{State::idle};
  Shipment* next = nullptr;
};

/// The connection of this process to one other. gloo's calls that wait for a transfer block and cannot be polled, so a
/// thread sends and another one receives.
class Connection {
 public:
  /// Whom a connection reports to, from its threads.
  class Owner {
   public:
    virtual void take(int from, const Frame& frame, const std::string& text) = 0;  ///< a control message
    virtual void advanced() = 0;                                                   ///< a message has moved on
    virtual void mismatch(const Address& address, std::int64_t sent, std::int64_t expected) = 0;
    virtual void lost(int peer, const std::string& why) = 0;

   protected:
    ~Owner() = default;
  };

  Connection(const std::shared_ptr<::gloo::Context>& context, int peer, Mailbox& mailbox, Owner& owner);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Starts the threads, which may call the owner at once. Throws std::system_error if one cannot be started; the
  /// connection can then only be destroyed.
  void start();

  /// Sends a control message, before messages that wait to be sent. Returns at once.
  void send(const Frame& frame, std::string text = {});

  void post(Shipment& shipment);
  /// Returns whether all control messages have been sent.
  bool flushed();
  /// These two cancel a message and a receive. One that is in progress has a short time to end; then the connection is
  /// abandoned.
  void cancel(Shipment& shipment);
  void cancel(Posting& posting);

 private:
  using Buffer = ::gloo::transport::UnboundBuffer;
  /// The scope in which a buffer is `place`.
  class Current {
   public:
    Current(Connection& connection, Buffer*& place, Buffer* buffer);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    std::mutex& mutex_;
    Buffer*& place_;
  };
  struct Control {
    Frame frame;
    std::string text;
  };

  void guarded(void (Connection::*body)());
  void send_all();
  bool transmit(const Frame& frame, const void* bytes, std::int64_t count);
  bool ship(Shipment& shipment);
  void receive_all();
  bool receive(const Frame& frame);
  bool receive_pieces(std::byte* data, std::int64_t bytes, Posting* posting);

  std::shared_ptr<::gloo::Context> context_;
  const int peer_;
  Mailbox& mailbox_;
  Owner& owner_;
  std::vector<std::byte> frame_out_, frame_in_;
  std::unique_ptr<Buffer> out_, in_;

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<Control> controls_;
  Shipment* first_ = nullptr;
  Shipment* last_ = nullptr;
  Buffer* pieces_out_ = nullptr;  ///< of the message that is sent or received in pieces now
  Buffer* pieces_in_ = nullptr;
  bool controlling_ = false;  ///< a control message is being sent
  bool stop_ = false;
  std::thread sender_, receiver_;
};

}  // namespace ddlbench::comm::gloo
