// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_writer.hpp"

#include <fmt/format.h>

#include "dragoman/dialect/refused.hpp"
#include "dragoman/dialect/text_scanner.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

// Said in the text of an agent, not by the agent's program.
bool is_marker(const Event& event) {
  switch (event.origin.dialect) {
    case Dialect::wxcode:
    case Dialect::question:
    case Dialect::markers:
      return event.origin.via.has_value();
    case Dialect::text:
    case Dialect::claude:
    case Dialect::codex:
    case Dialect::delegator:
      return false;
  }
  return false;
}

bool comes_from_text(const Event& event) {
  return event.origin.dialect == Dialect::wxcode || event.origin.dialect == Dialect::question ||
         event.origin.dialect == Dialect::markers || event.origin.dialect == Dialect::text;
}

std::string text_block(string_view text) {
  std::string block;
  json::Writer(block)
      .begin_object()
      .key("type")
      .string("text")
      .key("text")
      .string(text)
      .end_object();
  return block;
}

}  // namespace

Result<Written> ClaudeWriter::write(const Event& event, std::string& out) {
  switch (event.kind()) {
    case Kind::session_started:
      return write_session(*event.as<SessionStarted>(), out);
    case Kind::text:
      return write_text(*event.as<DisplayText>(), event, out);
    case Kind::thinking:
      return write_thinking(*event.as<Thinking>(), event, out);
    case Kind::tool_started:
      if (is_marker(event)) return write_marker(event, out);
      return write_tool(*event.as<ToolStarted>(), event, out);
    case Kind::tool_finished:
      if (is_marker(event)) return write_marker(event, out);
      return write_tool_end(*event.as<ToolFinished>(), event, out);
    case Kind::status:
      return write_status(*event.as<Status>(), event, out);
    case Kind::question:
      return write_question(*event.as<Question>(), event, out);
    case Kind::files_changed:
      if (event.as<FilesChanged>()->claimed) return write_marker(event, out);
      return write_files(*event.as<FilesChanged>());
    case Kind::failure:
      return write_failure(*event.as<Failure>(), event, out);
    case Kind::usage:
      return write_usage(*event.as<Usage>(), out);
    case Kind::rate_limited:
      write_limit(*event.as<RateLimited>(), out);
      return Written::yes;
    case Kind::turn_finished:
      return write_turn(*event.as<TurnFinished>(), event, out);
    case Kind::unknown:
      return write_unknown(*event.as<Unknown>(), event, out);
    case Kind::command_started:
    case Kind::blocked:
    case Kind::next_action:
    case Kind::completion_claimed:
    case Kind::artifact_updated:
    case Kind::server_ready:
    case Kind::go_to:
    case Kind::context_request:
    case Kind::test_results:
    case Kind::lint_warnings:
    case Kind::dependency_needed:
    case Kind::commit_suggestion:
      return write_marker(event, out);
    case Kind::finished:  // the end of a process, which no line of it reports
    case Kind::quoted_marker:
    case Kind::malformed:
    case Kind::oversize:
    case Kind::diagnostic:
      return Written::no;
  }
  return Written::no;
}

void ClaudeWriter::finish(std::string& out) { settle(out); }

Result<Written> ClaudeWriter::write_text(const DisplayText& text, const Event& event,
                                         std::string& out) {
  const Channel channel = event.origin.channel;
  if (channel == Channel::assistant_text || channel == Channel::stdout_) {
    begin_or_go_on(event, out);
    block_ = text.block;
    DRAGOMAN_TRY(const Written written, text_->write(event, text_block_));
    cut_text(out);
    return written;
  }
  if (channel == Channel::subagent_text || channel == Channel::synthetic_text) {
    reply(text_block(text.text.str()), event, out);
    reply_->synthetic = channel == Channel::synthetic_text;
    reply_->text = text.text.str();
    return Written::yes;
  }
  if (channel != Channel::user) return Written::no;
  settle(out);
  json::Writer w(out);
  w.begin_object().key("type").string("user").key("message").begin_object();
  w.key("role").string("user").key("content").begin_array();
  w.begin_object().key("type").string("text").key("text").text(text.text).end_object();
  w.end_array().end_object();
  put_session(out);
  out += "}\n";
  return Written::yes;
}

Result<Written> ClaudeWriter::write_marker(const Event& event, std::string& out) {
  begin_or_go_on(event, out);
  DRAGOMAN_TRY(const Written written, text_->write(event, text_block_));
  cut_text(out);
  return written;
}

// Whether the event stands in the text block that is being put together. A marker does not know its
// block: it belongs to the words of its line, also when it comes before all of them.
bool ClaudeWriter::goes_on(const Event& event) const {
  const auto* text = event.as<DisplayText>();
  if (text != nullptr && block_ && text->block != block_) return false;
  const Origin& now = event.origin;
  if (!now.at || !place_.at) return true;
  // A line may hold several blocks; the place in the block begins again with each. The block of a
  // bracket marker is told when it has ended, so it may stand before what was told already.
  return now.stream == place_.stream && now.offset == place_.offset &&
         (now.dialect == Dialect::markers || *now.at >= *place_.at);
}

void ClaudeWriter::begin_or_go_on(const Event& event, std::string& out) {
  if (text_ && !goes_on(event)) end_text(out);
  if (!text_) {
    settle(out);
    text_.emplace(MarkerFamily::any, TextEnd::open);
  }
  place_ = event.origin;
  place_.parent = {};  // not ours to keep
}

Written ClaudeWriter::write_thinking(const Thinking& thinking, const Event& event,
                                     std::string& out) {
  std::string block;
  json::Writer w(block);
  w.begin_object();
  if (thinking.redacted.value_or(false)) {
    w.key("type").string("redacted_thinking").key("data").string("");
  } else {
    w.key("type").string("thinking").key("thinking").text(thinking.text);
    w.key("signature").string("");
  }
  w.end_object();
  reply(std::move(block), event, out);
  return Written::yes;
}

Result<Written> ClaudeWriter::write_session(const SessionStarted& session, std::string& out) {
  if (session.session_id.empty()) return refused("system/init: the session id is empty");
  settle(out);
  session_ = session.session_id;
  if (!session.model.empty()) model_ = session.model;
  json::Writer w(out);
  w.begin_object().key("type").string("system").key("subtype").string("init");
  if (session.cwd.data() != nullptr) w.key("cwd").string(session.cwd);
  w.key("session_id").string(session_);
  if (!session.tools.empty()) {
    w.key("tools").begin_array();
    for (const string_view tool : session.tools) w.string(tool);
    w.end_array();
  }
  if (!session.mcp_servers.empty()) {
    w.key("mcp_servers").begin_array();
    for (const McpServer& server : session.mcp_servers) {
      w.begin_object().key("name").string(server.name);
      if (server.status.data() != nullptr) w.key("status").string(server.status);
      w.end_object();
    }
    w.end_array();
  }
  if (session.model.data() != nullptr) w.key("model").string(session.model);
  if (session.version.data() != nullptr) w.key("claude_code_version").string(session.version);
  w.end_object();
  out.push_back('\n');
  return Written::yes;
}

Result<Written> ClaudeWriter::write_failure(const Failure& failure, const Event& event,
                                            std::string& out) {
  if (comes_from_text(event)) return write_marker(event, out);
  std::string message = failure.message.str();
  if (turn_ && !turn_->ok) {
    turn_->failure = std::move(message);
    turn_->failure_code = failure.code;
    return Written::yes;
  }
  const bool said = reply_ && reply_->synthetic && reply_->text == message;
  if (!said) {
    reply(text_block(message), event, out);
    reply_->synthetic = true;
  }
  reply_->error = std::string(failure.code.empty() ? failure.reason : failure.code);
  return Written::yes;
}

Result<Written> ClaudeWriter::write_question(const Question& question, const Event& event,
                                             std::string& out) {
  if (question.source == QuestionSource::permission) return Written::no;
  if (question.source != QuestionSource::ask_user_question) return write_marker(event, out);
  // It is part of the tool's call and of its result.
  const string_view tool = question.id.substr(0, question.id.rfind('#'));
  if (question.state == QuestionState::open) {
    if (!open_tools_.contains(tool)) return write_marker(event, out);
    return asked_.emplace(question.id).second ? Written::yes : Written::no;
  }
  if (!tool_result_ || tool_result_->id != tool) return Written::no;
  if (question.state == QuestionState::answered) {
    tool_result_->answers.emplace_back(question.text, question.answer);
  }
  return Written::yes;
}

Written ClaudeWriter::write_unknown(const Unknown& unknown, const Event& event, std::string& out) {
  const bool line = event.origin.dialect == Dialect::claude && unknown.raw.json.starts_with('{');
  if (!line) return Written::no;
  settle(out);
  json::append_raw(out, unknown.raw);
  out.push_back('\n');
  return Written::yes;
}

void ClaudeWriter::reply(std::string block, const Event& event, std::string& out) {
  settle(out);
  reply_.emplace();
  reply_->block = std::move(block);
  reply_->parent = event.origin.parent;
}

void ClaudeWriter::cut_text(std::string& out) {
  constexpr std::size_t kLarge = std::size_t{512} << 10U;
  if (text_block_.size() < kLarge) return;
  if (!text_->can_be_cut()) {
    if (text_block_.size() < 2 * kLarge) return;
    text_->finish(text_block_);
    text_.emplace(MarkerFamily::any, TextEnd::open);
  }
  if (text_message_.empty()) text_message_ = fmt::format("msg_{}", ++messages_);
  ClaudeReply part;
  part.text = std::exchange(text_block_, {});
  part.block = text_block(part.text);
  part.message_id = text_message_;
  put(part, out);
}

void ClaudeWriter::end_text(std::string& out) {
  if (!text_) return;
  text_->finish(text_block_);
  text_.reset();
  block_.reset();
  place_ = {};
  const std::string text = std::exchange(text_block_, {});
  std::string message = std::exchange(text_message_, {});
  if (text.empty()) return;
  settle(out);
  reply_.emplace();
  reply_->block = text_block(text);
  reply_->text = text;
  reply_->message_id = std::move(message);
}

// Blocks of one message share its id.
void ClaudeWriter::remember(const ClaudeReply& reply, string_view id) {
  constexpr std::size_t kMostWords = std::size_t{1} << 20U;
  if (!reply.parent.empty()) return;
  if (id != last_message_) last_words_.clear();
  last_message_ = id;
  last_words_ += reply.text;
  if (last_words_.size() > kMostWords) last_words_ = {};
}

// What becomes of a text that is read and written: markers in our spelling, the rest guarded.
std::string ClaudeWriter::as_written(string_view text) {
  class Rewriter final : public EventSink {
   public:
    void on_event(const Event& event) override { (void)writer.write(event, lines); }
    ClaudeWriter writer;
    std::string lines;
  };
  Rewriter rewriter;
  QuestionIds ids;
  CarriedBlock block;
  block.origin.dialect = Dialect::claude;
  block.origin.channel = Channel::assistant_text;
  BlockScanner({}, ids).read(text, block, rewriter);
  rewriter.writer.end_text(rewriter.lines);
  const auto& reply = rewriter.writer.reply_;
  return reply ? reply->text : std::string();
}

}  // namespace dragoman
