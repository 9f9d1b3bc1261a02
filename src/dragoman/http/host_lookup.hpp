// SPDX-License-Identifier: Apache-2.0
// Finding the addresses of a host without waiting for whoever knows them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <string>
#include <vector>

#include "dragoman/http/client.hpp"

namespace dragoman::http {

// So many look-ups may be under way in the whole process, abandoned ones included.
inline constexpr int kMostLookups = 32;

// The resolver of the system cannot be interrupted and takes as long as the slowest name server, so
// it runs in a thread that nobody joins: it owns what it works with, and what it finds after the
// end of this object or of the io_context goes nowhere.
class HostLookup {
 public:
  using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;
  using Found = std::function<void(const boost::system::error_code&, const Endpoints&)>;

  // `find_host` may be empty: the system is asked.
  HostLookup(boost::asio::io_context& io, FindHost find_host);

  // An address that is written in numbers needs no thread.
  void start(const std::string& host, const std::string& port, Found found);
  void cancel();

 private:
  boost::asio::posix::stream_descriptor ready_;
  FindHost find_host_;
};

}  // namespace dragoman::http
