// SPDX-License-Identifier: Apache-2.0
// A notification on the desktop, with a button for each option.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/show/neutral.hpp"
#include "dragoman/surface/kinds.hpp"
#include "dragoman/surface/program.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kMostDesktopButtons = 5;
constexpr std::size_t kBody = 800;

// Notifications know a little markup, which HTML's escapes switch off.
std::string body_of(const Message& message) {
  std::string text = shortened(message.text, kBody);
  if (!message.outcome.empty()) text += fmt::format("\n{}", one_line_of(message.outcome, 200));
  if (message.asks()) text += fmt::format("\ndragoman answer {} …", one_line_of(message.ref, 40));
  std::string out;
  show::append_html(out, text);
  return out;
}

ProgramCall call_of(const SurfaceSettings& settings, const Message& message) {
  const std::string& program = settings.text("program");
  ProgramCall call{{program.empty() ? "notify-send" : program, "--app-name=dragoman"}, {}};
  if (message.asks() && !message.asked.multi_select && !message.asked.secret &&
      !message.asked.options.empty() && message.asked.options.size() <= kMostDesktopButtons) {
    call.argv.emplace_back("--wait");
    for (std::size_t i = 0; i < message.asked.options.size(); ++i)
      call.argv.push_back(
          fmt::format("--action={}={}", i + 1, one_line_of(message.asked.options[i].label, 60)));
  }
  call.argv.insert(call.argv.end(), {"--", one_line_of(message.title, 100), body_of(message)});
  return call;
}

}  // namespace

// Every kind of surface is made with this signature.
std::unique_ptr<Surface> make_desktop(
    const SurfaceSettings& settings,
    Surroundings /*surroundings*/) {  // NOLINT(performance-unnecessary-value-param)
  return std::make_unique<ProgramSurface>(settings, call_of);
}

}  // namespace dragoman::surface
