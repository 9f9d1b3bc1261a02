// SPDX-License-Identifier: Apache-2.0
// dragoman serve: the dashboard, the API and everything else that is reached by HTTP.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/delegation.hpp"
#include "dragoman/cli/interrupt.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/probe.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/cli/surfaces.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/http/client.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/mcp/conformance_box.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/web/app.hpp"
#include "dragoman/web/demo.hpp"
#include "dragoman/web/hook_routes.hpp"
#include "dragoman/web/mcp_route.hpp"

namespace dragoman::cli {
namespace {

constexpr std::uint16_t kPort = 4777;
constexpr std::chrono::seconds kReconcile(5);
constexpr std::chrono::minutes kSweep(15);  // for what nobody has touched for an hour

// Gone with everything in it when the demo ends.
class Scratch {
 public:
  static Result<std::unique_ptr<Scratch>> make() {
    std::error_code failed;
    const auto parent = std::filesystem::temp_directory_path(failed);
    std::string name = (parent / "dragoman-demo-XXXXXX").string();
    if (!failed && ::mkdtemp(name.data()) == nullptr) failed = {errno, std::generic_category()};
    if (!failed) return std::unique_ptr<Scratch>(new Scratch(name));
    return Error{
        ErrorCode::internal,
        fmt::format("make a directory for the demo in {}: {}; TMPDIR names another place",
                    parent.empty() ? variable("TMPDIR") : parent.string(), failed.message())};
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit Scratch(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

Result<std::uint16_t> port_in(const Invocation& invocation) {
  const auto text = invocation.value("port");
  if (!text) return kPort;
  std::uint16_t port = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, port);
  if (read.ec == std::errc() && read.ptr == end) return port;
  return Error{ErrorCode::validation,
               fmt::format("--port: '{}' is not a number from 0 to 65535", *text)};
}

std::string base_url(const std::string& host, std::uint16_t port) {
  if (host == "0.0.0.0" || host == "::") return fmt::format("http://127.0.0.1:{}", port);
  const bool six = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", six ? "[" : "", host, six ? "]" : "", port);
}

// One server from its first line to its last.
class Serving {
 public:
  Serving(const Invocation& invocation, Console& console)
      : invocation_(invocation), console_(console) {}

  Result<void> prepare() {
    demo_ = invocation_.has("demo");
    conformance_ = invocation_.has("conformance");
    if (demo_ || conformance_) {
      DRAGOMAN_TRY(scratch_, Scratch::make());
      store_.path = scratch_->path() / "demo.db";
      DRAGOMAN_TRY(store_.log, open_sqlite_log({store_.path, ""}));
    } else {
      DRAGOMAN_TRY(store_, open_task_store(invocation_, console_, StoreUse::adds));
    }
    DRAGOMAN_CHECK(find_token());
    http_.host = invocation_.value("host").value_or("127.0.0.1");
    DRAGOMAN_TRY(http_.port, port_in(invocation_));
    http_.socket = invocation_.value("socket").value_or("");
    return {};
  }

  // For somebody whose browser has lost its cookie.
  Result<void> print_login() {
    const std::string url = base_url(http_.host, http_.port);
    const http::Client client({.deadline = std::chrono::seconds(2)});
    if (!client.send({.url = url + "/healthz"})) {
      return Error{ErrorCode::not_found,
                   fmt::format("no server answers at {}: start 'dragoman serve', or give its "
                               "--host and --port",
                               url)};
    }
    DRAGOMAN_TRY(const auto code, web::make_login_code(token_, task::now_ms()));
    console_.out().write(fmt::format("{}/login?code={}\n", url, code));
    return {};
  }

  Result<void> start() {
    process::raise_descriptor_limit();
    // A service does not move, which make_unique would ask of it.
    // NOLINTNEXTLINE(modernize-make-unique)
    service_.reset(new task::Service(store_.service()));
    if (!demo_) DRAGOMAN_CHECK(service_->reconcile());
    web::AppOptions options;
    if (!demo_) DRAGOMAN_CHECK(offer_tools(options));
    options.api.demo = demo_;
    std::error_code gone;  // then a task has to name its directory
    options.api.working_dir = std::filesystem::current_path(gone).string();
    options.api.features = {"runs", "questions", "tasks", "search", "parse"};
    if (endpoint_ != nullptr) options.api.features.emplace_back("mcp");
    options.gate.proxied = invocation_.values("allow-host");
    if (!demo_) start_surfaces(options);
    app_ = std::make_unique<web::App>(*service_, std::make_shared<web::Token>(token_file_),
                                      std::move(options));
    http_.every = web::security_fields();
    http_.refusal = web::refused_head;
    http_.bound = [this](std::uint16_t port) {
      app_->allow_hosts(web::own_hosts(http_.host, port));
    };
    DRAGOMAN_TRY(server_, http::Server::start(http_, app_->decide()));
    http_.port = server_->port();
    app_->attach(server_.get());
    return announce();
  }

  void run() {
    if (demo_) player_ = std::make_unique<web::Demo>(*store_.log);
    auto next = std::chrono::steady_clock::now() + kReconcile;
    auto sweep = next;
    task::CleanOptions stuck;
    stuck.keeps_old = true;
    while (interrupted() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const auto now = std::chrono::steady_clock::now();
      if (demo_ || now < next) continue;
      next = now + kReconcile;
      if (auto done = service_->reconcile(); !done) console_.detail(done.error().message);
      if (now < sweep) continue;
      sweep = now + kSweep;
      if (auto done = service_->clean(stuck); !done) console_.detail(done.error().message);
    }
    server_->stop();
    broker_.reset();
    player_.reset();
  }

 private:
  // /mcp: the tools for other agents, or what the conformance suite of the protocol wants to see.
  Result<void> offer_tools(web::AppOptions& options) {
    if (conformance_) {
      options.gate.open = true;  // the suite sends no token
      box_ = std::make_unique<mcp::ConformanceBox>(DRAGOMAN_VERSION);
    } else {
      DRAGOMAN_TRY(const auto settings, load_settings(invocation_, console_));
      take_limits(settings, options.api.fresh);
      // Nothing of that may hold up the one thread that all connections share.
      box_ = make_delegation_tools(*service_, store_, settings, mcp::Upkeep::elsewhere);
    }
    mcp_ = std::make_unique<mcp::Server>(*box_);
    endpoint_ = std::make_unique<web::McpEndpoint>(*mcp_);
    for (auto& route : web::mcp_routes(*endpoint_)) options.mounted.push_back(std::move(route));
    return {};
  }

  // Questions go out from here, and the servers of surfaces call here.
  void start_surfaces(web::AppOptions& options) {
    auto settings = configured_surfaces(invocation_, console_);
    if (!settings) {
      console_.warn(printable(settings.error().message));
      return;
    }
    hooks_ = std::make_unique<surface::Hooks>(*store_.log, *settings,
                                              [this] { (void)service_->reconcile(); });
    for (auto& route : web::hook_routes(*hooks_)) options.mounted.push_back(std::move(route));
    broker_ = start_broker(*service_, *std::move(settings));
  }

  Result<void> find_token() {
    if (const auto given = invocation_.value("token-file")) {
      token_file_ = *given;
    } else if (scratch_ != nullptr) {
      token_file_ = scratch_->path() / "token";
    } else {
      DRAGOMAN_TRY(const auto state, state_directory());
      token_file_ = state / "token";
    }
    DRAGOMAN_TRY(token_, web::Token::prepare(token_file_, invocation_.has("new-token")));
    return {};
  }

  Result<void> announce() {
    const std::string url = base_url(http_.host, http_.port);
    DRAGOMAN_TRY(const auto code, web::make_login_code(token_, task::now_ms()));
    const std::string login = fmt::format("{}/login?code={}", url, code);
    std::string& out = console_.out().buffer();
    if (invocation_.has("json")) {
      json::Writer w(out);
      w.begin_object().name("url").string(url).name("token").string(token_);
      w.name("pid").integer(::getpid()).end_object();
    } else {
      out.append(login);
    }
    out.push_back('\n');
    if (!console_.out().flush()) {
      console_.warn(fmt::format(
          "the address could not be printed: {}; the server is at {}, and 'dragoman serve --login' "
          "prints an address for its --host and --port",
          std::strerror(console_.out().error()), url));
    } else if (!invocation_.has("json")) {
      console_.note("open this address in a browser; it works once. Ctrl-C ends the server");
    }
    if (!invocation_.has("open")) return {};
    const auto browser = find_program("xdg-open");
    const Result<void> opened = browser
                                    ? task::start_detached({*browser, login})
                                    : Error{ErrorCode::not_found, "there is no xdg-open in PATH"};
    if (!opened) console_.warn(fmt::format("--open: {}", printable(opened.error().message)));
    return {};
  }

  const Invocation& invocation_;
  Console& console_;
  bool demo_ = false;
  bool conformance_ = false;
  std::unique_ptr<Scratch> scratch_;
  TaskStore store_;
  std::filesystem::path token_file_;
  std::string token_;
  http::ServerOptions http_;
  std::unique_ptr<task::Service> service_;
  std::unique_ptr<mcp::ToolBox> box_;
  std::unique_ptr<mcp::Server> mcp_;
  std::unique_ptr<web::McpEndpoint> endpoint_;
  std::unique_ptr<surface::Hooks> hooks_;
  std::unique_ptr<surface::Broker> broker_;
  std::unique_ptr<web::App> app_;
  std::unique_ptr<web::Demo> player_;
  std::unique_ptr<http::Server> server_;
};

int run_serve(const Invocation& invocation, Console& console) {
  note_interrupts();
  Serving serving(invocation, console);
  const auto fail = [&console](const Error& error) {
    const bool usage = error.code == ErrorCode::validation;
    return console.fail(fmt::format("serve: {}", printable(error.message)), "",
                        usage ? kUsage : 125);
  };
  if (auto prepared = serving.prepare(); !prepared) return fail(prepared.error());
  if (invocation.has("login")) {
    if (auto printed = serving.print_login(); !printed) return fail(printed.error());
    return kOk;
  }
  if (auto started = serving.start(); !started) return fail(started.error());
  serving.run();
  return kOk;
}

}  // namespace

CommandSpec serve_command() {
  return {
      "serve",
      "the dashboard in a browser, with its API",
      "Prints one address that opens the dashboard; it works once and sets a cookie. Programs use\n"
      "the token of the token file instead: Authorization: Bearer. Listens on this machine alone\n"
      "unless --host says otherwise. docs/serve.md has the API and the rules.",
      {{"host", "ADDRESS", "where to listen (127.0.0.1 unless given)"},
       {"port", "N", "the port (4777 unless given; 0: any free one)"},
       {"socket", "PATH", "listen at a Unix socket too", {}, 0, false, true},
       {"token-file",
        "FILE",
        "where the token is kept (in the state directory unless given)",
        {},
        0,
        false,
        true},
       {"new-token", "", "make a new token first; servers that run take it at once"},
       {"login", "", "print a new login address for the server that runs, and end"},
       {"allow-host",
        "NAME",
        "a name under which a proxy serves this, such as box.example:8443",
        {},
        0,
        true},
       {"open", "", "open the address in the browser"},
       {"demo", "", "play bundled recordings in a store of its own: no agent needed"},
       {"json", "", "print url, token and pid as one line of JSON instead"},
       {.name = "conformance",
        .value = "",
        .help = "serve the fixture of the MCP conformance suite, without a token",
        .hidden = true},
       store_option()},
      {},
      {"dragoman serve --open", "dragoman serve --demo", "dragoman serve --port 0 --json"},
      run_serve};
}

}  // namespace dragoman::cli
