// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/loop.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace dragoman::engine {
namespace {

class AsioTimer final : public Timer {
 public:
  explicit AsioTimer(boost::asio::io_context& io) : timer_(io) {}

  void after(std::chrono::milliseconds wait, std::function<void()> call) override {
    timer_.expires_after(wait);
    timer_.async_wait([call = std::move(call)](const boost::system::error_code& cancelled) {
      if (!cancelled) call();
    });
  }
  void cancel() override { timer_.cancel(); }

 private:
  boost::asio::steady_timer timer_;
};

}  // namespace

Timestamp wall_clock() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

Timestamp AsioLoop::wall() const { return wall_clock(); }

void AsioLoop::post(std::function<void()> call) { boost::asio::post(io_, std::move(call)); }

std::unique_ptr<Timer> AsioLoop::timer() { return std::make_unique<AsioTimer>(io_); }

}  // namespace dragoman::engine
