// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/report.hpp"

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/hidden.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/check/rules.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::check {
namespace {

class TextReporter final : public Reporter {
 public:
  explicit TextReporter(bool colour) : colour_(colour) {}

  void begin(std::string& /*out*/) override {}

  void finding(std::string_view file, const Finding& f, std::string& out) override {
    out += fmt::format("{}:{}:{}: {}{}{}: {} [{}]\n", utf8::with_hidden_shown(file), f.line,
                       f.column, paint(f.level), name(f.level), reset(),
                       utf8::with_hidden_shown(f.message), f.rule);
    if (!f.hint.empty()) out += fmt::format("    hint: {}\n", utf8::with_hidden_shown(f.hint));
  }

  void finish(const Tally& t, std::string& out) override {
    if (t.errors + t.warnings + t.infos == 0) return;
    out += fmt::format("{}, {}, {} in {}\n", counted(t.errors, "error"),
                       counted(t.warnings, "warning"), counted(t.infos, "note"),
                       counted(t.files, "file"));
  }

 private:
  [[nodiscard]] std::string_view paint(Level level) const {
    if (!colour_) return "";
    switch (level) {
      case Level::error:
        return "\x1b[1;31m";
      case Level::warning:
        return "\x1b[1;33m";
      case Level::info:
        return "\x1b[1;36m";
    }
    return "";
  }
  [[nodiscard]] std::string_view reset() const { return colour_ ? "\x1b[0m" : ""; }

  bool colour_;
};

class JsonReporter final : public Reporter {
 public:
  void begin(std::string& out) override { out.append("{\"findings\":["); }

  void finding(std::string_view file, const Finding& f, std::string& out) override {
    if (!first_) out.push_back(',');
    first_ = false;
    json::Writer w(out);
    w.begin_object().key("file").string(file).key("line").count(f.line).key("column").count(
        f.column);
    w.key("offset").count(f.offset).key("length").count(f.length);
    if (f.at) w.key("at").count(*f.at);
    w.key("rule")
        .string(f.rule)
        .key("level")
        .string(name(f.level))
        .key("message")
        .string(f.message);
    if (!f.hint.empty()) w.key("hint").string(f.hint);
    w.end_object();
  }

  void finish(const Tally& t, std::string& out) override {
    out.append("],\"summary\":");
    json::Writer w(out);
    w.begin_object().key("files").count(t.files).key("errors").count(t.errors);
    w.key("warnings").count(t.warnings).key("infos").count(t.infos).end_object();
    out.append("}\n");
  }

 private:
  bool first_ = true;
};

// Static Analysis Results Interchange Format 2.1.0.
class SarifReporter final : public Reporter {
 public:
  void begin(std::string& out) override {
    out.append(
        R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":)");
    json::Writer w(out);
    w.begin_object().key("driver").begin_object().key("name").string("dragoman");
    w.key("semanticVersion").string(DRAGOMAN_VERSION).key("rules").begin_array();
    for (const Rule& rule : rules()) {
      w.begin_object().key("id").string(rule.id);
      w.key("shortDescription").begin_object().key("text").string(rule.meaning).end_object();
      if (!rule.hint.empty())
        w.key("help").begin_object().key("text").string(rule.hint).end_object();
      w.key("defaultConfiguration")
          .begin_object()
          .key("level")
          .string(sarif_level(rule.level))
          .end_object();
      w.end_object();
    }
    w.end_array().end_object().end_object();
    out.append(R"(,"columnKind":"unicodeCodePoints","results":[)");
  }

  void finding(std::string_view file, const Finding& f, std::string& out) override {
    if (!first_) out.push_back(',');
    first_ = false;
    json::Writer w(out);
    w.begin_object().key("ruleId").string(f.rule).key("level").string(sarif_level(f.level));
    const std::string text = f.hint.empty() ? f.message : fmt::format("{}\n{}", f.message, f.hint);
    w.key("message").begin_object().key("text").string(text).end_object();
    w.key("locations").begin_array().begin_object().key("physicalLocation").begin_object();
    w.key("artifactLocation").begin_object().key("uri").string(uri(file)).end_object();
    w.key("region")
        .begin_object()
        .key("startLine")
        .count(f.line)
        .key("startColumn")
        .count(f.column);
    w.key("byteOffset").count(f.offset).key("byteLength").count(f.length).end_object();
    w.end_object().end_object().end_array();
    if (f.at) w.key("properties").begin_object().key("at").count(*f.at).end_object();
    w.end_object();
  }

  void finish(const Tally& /*tally*/, std::string& out) override { out.append("]}]}\n"); }

 private:
  static std::string_view sarif_level(Level level) {
    return level == Level::info ? "note" : name(level);
  }

  // A relative reference: what RFC 3986 does not allow is percent-encoded.
  static std::string uri(std::string_view file) {
    constexpr std::string_view kAllowed = "-._~/!$&'()*+,;=@";
    std::string out;
    for (const char c : file) {
      if (ascii::is_alnum(c) || kAllowed.find(c) != std::string_view::npos) {
        out.push_back(c);
      } else {
        out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
      }
    }
    return out;
  }

  bool first_ = true;
};

// Workflow commands of GitHub Actions.
class GithubReporter final : public Reporter {
 public:
  void begin(std::string& /*out*/) override {}

  void finding(std::string_view file, const Finding& f, std::string& out) override {
    const std::string_view command = f.level == Level::info ? "notice" : name(f.level);
    // Who reads the log of a job reads it on a terminal too.
    const std::string message = f.hint.empty()
                                    ? utf8::with_hidden_shown(f.message)
                                    : fmt::format("{}\n{}", utf8::with_hidden_shown(f.message),
                                                  utf8::with_hidden_shown(f.hint));
    out += fmt::format("::{} file={},line={},col={},title={}::{}\n", command,
                       escape(utf8::with_hidden_shown(file), true), f.line, f.column,
                       escape(f.rule, true), escape(message, false));
  }

  void finish(const Tally& /*tally*/, std::string& /*out*/) override {}

 private:
  static std::string escape(std::string_view text, bool property) {
    std::string out;
    for (const char c : text) {
      if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
        out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
      } else {
        out.push_back(c);
      }
    }
    return out;
  }
};

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  if (name == "text") return Format::text;
  if (name == "json") return Format::json;
  if (name == "sarif") return Format::sarif;
  if (name == "github") return Format::github;
  return std::nullopt;
}

void Tally::count(Level level) {
  switch (level) {
    case Level::error:
      ++errors;
      return;
    case Level::warning:
      ++warnings;
      return;
    case Level::info:
      ++infos;
      return;
  }
}

std::unique_ptr<Reporter> make_reporter(Format format, bool colour) {
  switch (format) {
    case Format::text:
      return std::make_unique<TextReporter>(colour);
    case Format::json:
      return std::make_unique<JsonReporter>();
    case Format::sarif:
      return std::make_unique<SarifReporter>();
    case Format::github:
      return std::make_unique<GithubReporter>();
  }
  return std::make_unique<TextReporter>(colour);
}

}  // namespace dragoman::check
