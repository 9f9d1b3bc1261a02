// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/called_program.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "dragoman/process/supervisor.hpp"

namespace dragoman::mcp {

Result<Called> call_program(process::Command command, const std::string& input,
                            std::chrono::milliseconds within, std::size_t most) {
  constexpr std::size_t kMostTalk = 64 * 1024;
  boost::asio::io_context io(1);
  Called called;
  process::Settings settings;
  settings.limits = {std::chrono::milliseconds(0), within, std::chrono::milliseconds(0),
                     std::chrono::milliseconds(0)};
  settings.grace = std::chrono::seconds(1);
  process::Handlers handlers;
  handlers.output = [&](process::Stream stream, std::string_view bytes) {
    const bool out = stream == process::Stream::stdout_;
    std::string& to = out ? called.out : called.err;
    const std::size_t room = (out ? most : kMostTalk) - to.size();
    to.append(bytes.substr(0, room));
    if (out && bytes.size() > room) called.cut = true;
  };
  handlers.ended = [&](const process::Outcome& outcome) {
    called.exit = outcome.exit;
    called.timed_out = outcome.timeout.has_value();
  };
  command.stdin_from = process::Stdin::pipe;
  DRAGOMAN_TRY(const auto supervisor,
               process::Supervisor::start(io, command, settings, std::move(handlers)));
  if (!input.empty()) supervisor->write(input);
  supervisor->close_stdin();
  io.run();
  return called;
}

}  // namespace dragoman::mcp
