// SPDX-License-Identifier: Apache-2.0
// The protocol with one peer: messages in, messages out. No sockets, no files, no clock of its own
// beyond the limits of progress. A peer is the other end of stdio, a legacy HTTP session, or a
// single modern HTTP request.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/channel.hpp"
#include "dragoman/mcp/exchange.hpp"
#include "dragoman/mcp/server.hpp"

namespace dragoman::mcp {

// Law: every request is answered exactly once, with its id as it was spelled, unless the peer
// cancelled it; whatever the peer sends, the next good request works.
class Session final : public Watcher, public std::enable_shared_from_this<Session> {
 public:
  // `standing` takes what belongs to no request; may be null. `principal` is who the peer is.
  [[nodiscard]] static std::shared_ptr<Session> make(Server& server,
                                                     std::shared_ptr<Channel> standing = nullptr,
                                                     std::string principal = {});
  ~Session() override;

  // One message or batch. May return before it is answered, and may be called again meanwhile.
  void handle(std::string_view text, const std::shared_ptr<Channel>& channel,
              const Headers* headers = nullptr);

  // The peer sends nothing more: nobody will answer what it is asked. What it asked is answered.
  void end_input();
  // Those still at work return with what they have.
  void hurry();
  // The peer is gone: nothing is sent any more.
  void close();
  [[nodiscard]] std::size_t in_flight();

  // The revision that initialize settled on; empty before.
  [[nodiscard]] std::string version();

  void on_changes(const Changes& changes) override;

 private:
  using Ptr = std::shared_ptr<Exchange>;
  using Handler = Response (Session::*)(Exchange&);
  struct Method {
    std::string_view name;
    Handler handler;
    bool legacy;
    bool modern;
    bool quick;
  };
  struct Pending;
  struct Listen;

  Session(Server& server, std::shared_ptr<Channel> standing, std::string principal);

  // session.cpp
  void handle_one(std::string text, const std::shared_ptr<Channel>& channel, const Headers* headers,
                  bool in_batch);
  void handle_batch(std::string_view text, const std::shared_ptr<Channel>& channel);
  void handle_notification(Exchange& request);
  void handle_response(const Message& message);
  void start(const Ptr& request);
  [[nodiscard]] std::optional<ProtocolError> admit(Exchange& request, Era era,
                                                   const Method*& method);
  void perform(const Ptr& request, const Method& method);
  [[nodiscard]] static const Method* find_method(std::string_view name);
  [[nodiscard]] bool is_in_use(std::string_view id) DRAGOMAN_REQUIRES(mutex_);
  // False: refused. What is answered at once keeps its id for no moment.
  bool enter(const Ptr& request, bool at_once);
  void leave(const Exchange& request);
  void answered();
  void cancel(std::string_view id);
  void tell(std::string_view message);  // on the standing channel

  // session_base.cpp: lifecycle, lists, logging, completion
  Response initialize(Exchange& request);
  Response discover(Exchange& request);
  Response ping(Exchange& request);
  Response set_level(Exchange& request);
  Response list_tools(Exchange& request);
  Response list_resources(Exchange& request);
  Response list_templates(Exchange& request);
  Response list_prompts(Exchange& request);
  Response complete(Exchange& request);
  Response subscribe(Exchange& request);
  Response unsubscribe(Exchange& request);
  Response listen(Exchange& request);
  void start_listening(const Ptr& request);
  void start_watching();
  static void tell_listener(const Listen& listen, std::string_view method,
                            std::string_view members);

  // session_calls.cpp: what a box does
  // Also finds the tool.
  [[nodiscard]] std::optional<ProtocolError> check_tool_call(Exchange& request) const;
  // What one round of a call comes to: its response, or what the client has to be asked first.
  using Round = std::variant<Response, Asked>;
  Response in_rounds(Exchange& request, Call& call, std::string_view method,
                     const std::function<Round(const Call&)>& round);
  Response call_tool(Exchange& request);
  Response read_resource(Exchange& request);
  Response get_prompt(Exchange& request);
  // Legacy: asks the peer and waits.
  [[nodiscard]] Result<std::vector<InputResponse>> ask(Exchange& request, const Asked& asked,
                                                       std::string_view task_id = {});
  struct Form;
  [[nodiscard]] bool wait_for_client(Exchange& request, const Form& form);
  [[nodiscard]] std::optional<ProtocolError> ask_for_task(Exchange& request, const std::string& id,
                                                          const std::vector<InputRequest>& wanted,
                                                          std::set<std::string>& declined);
  [[nodiscard]] Response asked(Exchange& request, const Asked& asked, std::string_view digest);
  [[nodiscard]] std::optional<ProtocolError> read_round(Exchange& request, Call& call,
                                                        std::string_view method);

  // session_tasks.cpp
  Response get_task(Exchange& request);
  Response task_result(Exchange& request);
  Response list_tasks(Exchange& request);
  Response update_task(Exchange& request);
  Response cancel_task(Exchange& request);
  [[nodiscard]] Response started(Exchange& request, const std::string& task_id);
  void append_detailed_task(std::string& out, const TaskView& task) const;

  // {…} of `members` ("key":value,…) with what every result of the era has.
  enum class Caching : std::uint8_t { none, shared, own };
  [[nodiscard]] std::string result(Exchange& request, std::string_view members,
                                   Caching caching = Caching::none) const;
  // The same of a whole object that is not empty.
  [[nodiscard]] std::string completed(const Exchange& request, std::string object) const;
  template <typename Specs, typename Append>
  [[nodiscard]] Response list(Exchange& request, std::string_view name, const Specs& specs,
                              Append append, Caching caching) const;

  Server& server_;
  const std::string principal_;

  Mutex mutex_;
  std::shared_ptr<Channel> standing_ DRAGOMAN_GUARDED_BY(mutex_);
  std::shared_ptr<const Client> client_ DRAGOMAN_GUARDED_BY(mutex_);  // legacy, after initialize
  LogLevel log_from_ DRAGOMAN_GUARDED_BY(mutex_) = LogLevel::info;
  std::map<std::string, Ptr, std::less<>> in_flight_ DRAGOMAN_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Pending>, std::less<>> pending_ DRAGOMAN_GUARDED_BY(mutex_);
  std::vector<Listen> listens_ DRAGOMAN_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> subscribed_ DRAGOMAN_GUARDED_BY(mutex_);  // legacy: URIs
  std::set<std::string, std::less<>> tasks_ DRAGOMAN_GUARDED_BY(mutex_);       // legacy: ids
  std::uint64_t asked_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  std::size_t busy_ DRAGOMAN_GUARDED_BY(mutex_) = 0;  // requests at work, answers not yet out
  bool watching_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool input_ended_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool closed_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

}  // namespace dragoman::mcp
