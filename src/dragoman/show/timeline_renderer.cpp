// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include <fmt/format.h>

#include "dragoman/show/html_page.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/timeline_views.hpp"

namespace dragoman::show {
namespace {

class TimelineRenderer final : public Renderer {
 public:
  TimelineRenderer(Format format, const RenderOptions& options)
      : format_(format), options_(options) {
    options_.secret = github_secret(options.secret);
  }

  void begin(RunIndex run, std::string_view label, std::string& out) override {
    start(out);
    runs_[run] = {TimelineFold(), std::string(label)};
  }

  void event(RunIndex run, const Event& event, std::string& /*out*/) override {
    const auto found = runs_.find(run);
    if (found != runs_.end()) found->second.fold.add(event);
  }

  void end(RunIndex run, std::string& out) override {
    const auto found = runs_.find(run);
    if (found == runs_.end()) return;
    const Timeline timeline = found->second.fold.timeline();
    put(timeline, found->second.label, out);
    runs_.erase(found);
  }

  void finish(std::string& out) override {
    start(out);
    if (format_ == Format::html) append_page_end(out);
  }

  std::string summary() override { return summary_; }

 private:
  struct Named {
    TimelineFold fold;
    std::string label;
  };

  void start(std::string& out) {
    if (std::exchange(started_, true)) return;
    const std::string_view title =
        options_.title.empty() ? std::string_view("Timeline") : options_.title;
    if (format_ == Format::html) append_page_start(out, title);
    std::string& markdown = format_ == Format::markdown ? out : summary_;
    if (format_ == Format::markdown || format_ == Format::github) {
      markdown.append("# ");
      append_markdown(markdown, title);
      markdown.append("\n\n");
    }
  }

  void put(const Timeline& timeline, std::string_view label, std::string& out) {
    ++shown_;
    switch (format_) {
      case Format::terminal:
        if (!label.empty()) {
          append_terminal(out, label, Breaks::join);
          out.push_back('\n');
        }
        append_timeline_text(out, timeline, options_.width);
        break;
      case Format::html:
        if (!label.empty()) {
          out.append("<h2>");
          append_html(out, label, Breaks::join);
          out.append("</h2>\n");
        }
        append_timeline_svg(out, timeline, shown_);
        break;
      case Format::markdown:
        put_markdown(timeline, label, out);
        break;
      case Format::github: {
        std::string text;
        append_timeline_text(text, timeline, options_.width);
        append_github_fence(out, text, options_.secret, shown_);
        put_markdown(timeline, label, summary_);
        break;
      }
    }
  }

  static void put_markdown(const Timeline& timeline, std::string_view label, std::string& out) {
    constexpr std::size_t kEnough = 900 * 1024;  // a job summary holds 1 MiB
    if (out.size() > kEnough) return;
    if (!label.empty()) {
      out.append("## ");
      append_markdown(out, label);
      out.append("\n\n");
    }
    append_timeline_markdown(out, timeline);
  }

  Format format_;
  RenderOptions options_;
  std::map<RunIndex, Named> runs_;
  std::string summary_;
  std::size_t shown_ = 0;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Renderer> make_timeline_renderer(Format format, const RenderOptions& options) {
  return std::make_unique<TimelineRenderer>(format, options);
}

}  // namespace dragoman::show
