// SPDX-License-Identifier: Apache-2.0
// What was said: text, fragments of it, thoughts.
#include <algorithm>

#include "dragoman/show/terminal_run.hpp"
#include "dragoman/show/text_head.hpp"

namespace dragoman::show {
namespace {

// How much of `words` can be shown before the message is complete: up to where a marker may begin.
std::size_t harmless(std::string_view said, std::string_view words) {
  bool line_begins = said.empty() || said.back() == '\n';
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (c == '<' || (line_begins && c == '[')) return i;
    line_begins = c == '\n' || (line_begins && c == ' ');
  }
  return words.size();
}

}  // namespace

void TerminalRenderer::flush_text(Run& run) {
  const std::string_view held = run.echo.flush();
  if (!held.empty()) run.text.add(held, TextForm::markdown);
  if (run.text.has_pending_words()) {
    turn_to(run, run.depth, run.agent);
    begin_section(Sort::text);
    run.text.flush();
  } else {
    run.text.drop_pending();
  }
  if (run.deferred == nullptr) return;
  const auto deferred = std::move(run.deferred);
  for (const Event& event : deferred->events()) show_payload(run, {}, event);
}

// What is reported about a text must not tear it apart.
bool TerminalRenderer::defer(Run& run, const Event& event) {
  constexpr std::size_t kMost = 64;
  const bool about_text = event.kind() == Kind::quoted_marker || event.kind() == Kind::diagnostic;
  if (!about_text || !run.text.has_pending_words()) return false;
  if (run.deferred == nullptr) run.deferred = std::make_unique<EventList>();
  if (run.deferred->events().size() >= kMost) return false;
  run.deferred->on_event(event);
  return true;
}

void TerminalRenderer::show_text(Run& run, const Step& step, const DisplayText& p,
                                 const Event& event) {
  if (event.origin.channel == Channel::partial) {
    show_fragment(run, p);
    return;
  }
  std::string_view words = p.text.bytes;
  if (p.text.escaped) {
    decoded_.clear();
    json::decode_to(decoded_, p.text);
    words = decoded_;
  }
  const std::string agent = step.agent != nullptr ? step.agent->id : step.depth > 0 ? "?" : "";
  if (current_ != &run || run.agent != agent) {
    flush_text(run);
    turn_to(run, step);
  }
  if (event.origin.channel == Channel::user) {
    flush_text(run);
    show_user(words);
    return;
  }
  const bool speech = p.block.has_value();
  // Messages that follow each other are apart.
  const bool holds_words = run.text.has_pending_words() || run.echo.holds();
  if (holds_words && p.block != run.speaking) flush_text(run);
  run.speaking = p.block;
  if (run.fragments.block.has_value()) words = without_shown(run, p, event, words);
  words = run.echo.pass(words);
  if (words.empty()) return;
  const bool markdown = run.markdown || speech;
  if (!markdown || run.text.pending() > 0 ||
      words.find_first_not_of(" \r\n") != std::string_view::npos) {
    begin_section(Sort::text);
  }
  run.text.add(words, markdown ? TextForm::markdown : TextForm::plain,
               options_.wrap_plain_text ? Wrapping::words : Wrapping::never);
}

// The complete text of a block of which a part is on the screen already: the rest of it.
std::string_view TerminalRenderer::without_shown(Run& run, const DisplayText& p, const Event& event,
                                                 std::string_view words) {
  Fragments& shown = run.fragments;
  if (p.block != shown.block || event.origin.parent.data() != nullptr) return words;
  run.fragment_text.drop_pending();
  const std::size_t at = event.origin.at.value_or(0);
  if (at >= shown.drawn) return words;
  const std::size_t known = std::min(shown.drawn - at, words.size());
  if (std::string_view(shown.text).substr(at, known) != words.substr(0, known)) {
    // The agent began anew: what is on the screen is not what counts.
    shown.clear();
    return words;
  }
  return words.substr(known);
}

void TerminalRenderer::show_fragment(Run& run, const DisplayText& p) {
  Fragments& shown = run.fragments;
  if (shown.block != p.block) {
    shown.clear();
    shown.block = p.block;
    run.fragment_text.drop_pending();
  }
  if (shown.stopped) return;
  std::string words;
  json::decode_to(words, p.text);
  const std::size_t good = harmless(shown.text, words);
  shown.stopped = good < words.size() || shown.text.size() + good > Fragments::kMost;
  words.resize(good);
  shown.text.append(words);
  // Only what is complete may be drawn; the flow decides, and tells by what it still holds.
  flush_text(run);
  turn_to(run, 0, {});
  const std::size_t held = run.fragment_text.pending();
  run.fragment_text.add(words, TextForm::markdown);
  if (run.fragment_text.pending() < held + words.size()) last_ = Sort::text;
  shown.drawn = shown.text.size() - run.fragment_text.pending();
}

void TerminalRenderer::show_user(std::string_view words) {
  begin_section(Sort::text);
  rich_.clear();
  rich_.add(Ink::dim, words, Breaks::keep);
  rich_.trim_end();
  RichText first;
  first.put(Ink::accent, "\u276F ");
  RichText rest;
  rest.put(Ink::plain, "  ");
  sheet_.lines(rich_, Wrapping::words, &first, &rest);
}

void TerminalRenderer::show_thinking(const Thinking& p) {
  begin_section(Sort::note);
  rich_.clear();
  RichText first;
  first.put(Ink::dim, "\u273B ");
  RichText rest;
  rest.put(Ink::plain, "  ");
  if (p.redacted.value_or(false)) {
    rich_.put(Ink::dim, "thinks, and does not show it");
    sheet_.lines(rich_, Wrapping::words, &first, &rest);
    return;
  }
  decoded_.clear();
  if (verbose()) {
    json::decode_to(decoded_, p.text);
    rich_.add(Ink::dim, decoded_, Breaks::keep);
    sheet_.lines(rich_, Wrapping::words, &first, &rest);
    return;
  }
  const bool more = append_first_line(decoded_, p.text, 4 * options_.width);
  rich_.put(Ink::dim, "\u273B ");
  rich_.add(Ink::dim, decoded_);
  if (more) rich_.put(Ink::dim, " \u2026");
  sheet_.elided(rich_);
}

}  // namespace dragoman::show
