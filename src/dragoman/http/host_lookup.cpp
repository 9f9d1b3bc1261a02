// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/host_lookup.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace dragoman::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::string_view kAgain = "again";

std::atomic<int> lookups_under_way = 0;

Result<std::vector<std::string>> ask_the_system(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> kept(found, &::freeaddrinfo);
  if (failed != 0) {
    return Error{ErrorCode::not_found, ::gai_strerror(failed),
                 std::string(failed == EAI_AGAIN ? kAgain : "")};
  }
  std::vector<std::string> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    char text[NI_MAXHOST];
    if (::getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
        0)
      addresses.emplace_back(text);
  }
  return addresses;
}

// What the thread and whoever waits for it have in common. The descriptor becomes readable with the
// answer.
class SharedAnswer {
 public:
  SharedAnswer() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~SharedAnswer() {
    if (event_ >= 0) ::close(event_);
  }
  SharedAnswer(const SharedAnswer&) = delete;
  SharedAnswer& operator=(const SharedAnswer&) = delete;

  [[nodiscard]] int copy_of_event() const { return ::fcntl(event_, F_DUPFD_CLOEXEC, 3); }
  void give(Result<std::vector<std::string>> addresses) {
    {
      const std::lock_guard lock(mutex_);
      addresses_ = std::move(addresses);
    }
    const std::uint64_t one = 1;
    (void)!::write(event_, &one, sizeof one);
  }
  std::optional<Result<std::vector<std::string>>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(addresses_, std::nullopt);
  }

 private:
  int event_;
  std::mutex mutex_;
  std::optional<Result<std::vector<std::string>>> addresses_;
};

bool start_thread(const std::shared_ptr<SharedAnswer>& answer, FindHost find,
                  const std::string& host) {
  if (++lookups_under_way > kMostLookups) {
    --lookups_under_way;
    return false;
  }
  try {
    std::thread([answer, find = std::move(find), host] {
      answer->give(find(host));
      --lookups_under_way;
    }).detach();
  } catch (const std::system_error&) {
    --lookups_under_way;
    return false;
  }
  return true;
}

HostLookup::Endpoints endpoints_of(const std::vector<std::string>& addresses, std::uint16_t port) {
  HostLookup::Endpoints endpoints;
  for (const std::string& address : addresses) {
    error_code no_address;
    const auto parsed = asio::ip::make_address(address, no_address);
    if (!no_address) endpoints.emplace_back(parsed, port);
  }
  return endpoints;
}

}  // namespace

HostLookup::HostLookup(asio::io_context& io, FindHost find_host)
    : ready_(io), find_host_(find_host ? std::move(find_host) : FindHost(ask_the_system)) {}

void HostLookup::start(const std::string& host, const std::string& port, Found found) {
  const auto later = [this, &found](const error_code& failed, Endpoints endpoints = {}) {
    asio::post(ready_.get_executor(),
               [found, failed, endpoints = std::move(endpoints)] { found(failed, endpoints); });
  };
  std::uint16_t number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  if (read.ec != std::errc()) return later(asio::error::service_not_found);
  if (Endpoints written = endpoints_of({host}, number); !written.empty())
    return later({}, std::move(written));
  const auto answer = std::make_shared<SharedAnswer>();
  const int event = answer->copy_of_event();
  if (event < 0) return later(asio::error::no_descriptors);
  error_code failed;
  if (ready_.assign(event, failed)) {
    ::close(event);
    return later(failed);
  }
  if (!start_thread(answer, find_host_, host)) return later(asio::error::host_not_found_try_again);
  ready_.async_wait(
      asio::posix::stream_descriptor::wait_read,
      [answer, number, found = std::move(found)](const error_code& ended) {
        if (ended) return found(ended, {});
        const auto addresses = answer->take();
        if (!addresses || !*addresses) {
          const bool again = addresses && addresses->error().reason == kAgain;
          return again ? found(asio::error::host_not_found_try_again, {})
                       : found(asio::error::host_not_found, {});
        }
        const Endpoints endpoints = endpoints_of(**addresses, number);
        found(endpoints.empty() ? error_code(asio::error::host_not_found) : error_code(),
              endpoints);
      });
}

void HostLookup::cancel() {
  error_code ignored;
  if (ready_.is_open()) (void)ready_.close(ignored);
}

}  // namespace dragoman::http
