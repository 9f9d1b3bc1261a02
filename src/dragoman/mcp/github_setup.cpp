// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/github_setup.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/environment_templates.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/task/envelope.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kHost = "https://github.com/";

struct Setup {
  std::string repository;  // https://github.com/OWNER/REPO
  std::string repo;
  std::string stack;
  std::string user_name;
  std::string user_email;
  const EnvironmentTemplate* environment = nullptr;
};

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name != "." && name != ".." &&
         name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
           return ascii::is_alnum(c) || c == '-' || c == '_' || c == '.';
         });
}

Result<Setup> setup_from(const Arguments& arguments) {
  Setup setup;
  const std::string given = arguments.text("repo_url");
  std::string_view url = given;
  const auto wrong = [&] {
    Error error = bad_value("repo_url", "https://github.com/OWNER/REPO", given);
    error.message = "Invalid repository URL (must start with https://github.com/)";
    return error;
  };
  if (!url.starts_with(kHost)) return wrong();
  url.remove_prefix(kHost.size());
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos) return wrong();
  setup.repo = url.substr(slash + 1);
  if (!is_name(url.substr(0, slash)) || !is_name(setup.repo)) return wrong();
  setup.repository = std::string(kHost) + std::string(url);
  setup.stack = arguments.text("stack");
  setup.environment = template_for_stack(setup.stack);
  setup.user_name = arguments.text("git_user_name");
  setup.user_email = arguments.text("git_user_email");
  for (const auto& [name, value] :
       {std::pair{"git_user_name", &setup.user_name}, {"git_user_email", &setup.user_email}}) {
    const bool control = std::any_of(value->begin(), value->end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
    if (control || value->empty()) return bad_value(name, "one line of text", *value);
  }
  if (std::count(setup.user_email.begin(), setup.user_email.end(), '@') != 1)
    return bad_value("git_user_email", "an address with one @", setup.user_email);
  return setup;
}

std::string token_step(const Setup& setup) {
  return fmt::format(
      "Open https://github.com/settings/tokens?type=beta and generate a new token.\n\n"
      "- Token name: `Codex Cloud - {}`\n"
      "- Expiration: 90 days\n"
      "- Repository access: only {}\n"
      "- Permissions: Contents read and write, Pull requests read and write, Workflows read and "
      "write, Metadata read\n\n"
      "Copy it once and put it nowhere but into the secret of step 2. Do not paste it here.\n",
      setup.repo, setup.repository);
}

std::string environment_step(const Setup& setup) {
  std::string out = fmt::format(
      "In Codex Cloud create the environment `{}-codex` for {}.\n\n"
      "- Secret: `GITHUB_TOKEN`, the token of step 1\n",
      setup.repo, setup.repository);
  for (const auto& [name, value] : setup.environment->variables) {
    const std::string& said = name == "GIT_USER_NAME"    ? setup.user_name
                              : name == "GIT_USER_EMAIL" ? setup.user_email
                                                         : value;
    out += fmt::format("- Variable `{}`: ", name);
    show::append_code_span(out, said);
    out += "\n";
  }
  // The scripts take who commits from the variables; run by hand they need them as well.
  const std::string exports =
      fmt::format("export GIT_USER_NAME={}\nexport GIT_USER_EMAIL={}\n",
                  shell_quoted(setup.user_name), shell_quoted(setup.user_email));
  out += "\nTo try the scripts by hand, first:\n\n";
  show::append_fenced(out, exports, "bash");
  out += "\nSetup script:\n\n";
  show::append_fenced(out, setup.environment->setup_script, "bash");
  out += "\nMaintenance script:\n\n";
  show::append_fenced(out, setup.environment->maintenance_script, "bash");
  return out;
}

std::string verification_task() {
  return "Create the branch codex-setup-verification. Add the file CODEX_SETUP.md with today's "
         "date "
         "and the versions of git, gh and the language in it. Commit it with the message 'Verify "
         "the Codex environment', push the branch, and open a draft pull request with the title "
         "'Verify the Codex environment'. Report the URL of the pull request, or the exact error.";
}

std::string verify_step() {
  std::string out =
      "Add the environment to environments.json, then submit this task to it with "
      "_codex_cloud_submit. It works on the branch `codex-setup-verification`:\n\n";
  show::append_fenced(out, verification_task() + "\n", "text");
  out += "\nA draft pull request means that everything works. Close it and delete the branch.\n";
  return out;
}

constexpr std::string_view kTroubleshooting =
    "- 401 or 403 from GitHub: the token has expired, lacks a permission of step 1, or does not "
    "cover this repository. Make a new one and replace the secret.\n"
    "- Push refused: the branch is protected, or Contents is not read and write. The task has to "
    "push a branch of its own.\n"
    "- gh missing: the machine could reach neither its packages nor github.com. Allow "
    "github.com in the environment's network settings, or open the pull request by hand.\n"
    "- Dependency install fails: run the setup script in a fresh clone, and allow the package "
    "registry of the stack in the network settings.\n";

std::string guide_of(const Setup& setup, const std::array<std::string, 3>& steps) {
  return fmt::format(
      "# GitHub setup for Codex Cloud\n\nRepository: {}\nStack: {}\n\n"
      "## Step 1: Create a fine-grained token\n\n{}\n"
      "## Step 2: Configure the environment\n\n{}\n"
      "## Step 3: Verify the setup\n\n{}\n"
      "## Troubleshooting\n\n{}\n"
      "## Next steps\n\n"
      "- `_codex_cloud_list_environments` shows the environment once it is in environments.json.\n"
      "- `_codex_cloud_submit` with its id hands tasks over.\n"
      "- Renew the token before its 90 days are over.\n",
      setup.repository, setup.stack, steps[0], steps[1], steps[2], kTroubleshooting);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out.push_back(c);
    }
  }
  return out + "'";
}

Result<ToolOutcome> github_setup(const ToolRequest& request) {
  DRAGOMAN_TRY(const Setup setup, setup_from(request.arguments));
  const std::array<std::string, 3> steps = {token_step(setup), environment_step(setup),
                                            verify_step()};
  constexpr std::array<std::string_view, 3> kTitles = {"Create Fine-Grained Token",
                                                       "Configure Environment", "Verify Setup"};
  const std::string guide = guide_of(setup, steps);
  ToolReply reply;
  json::Writer w(reply.envelope);
  task::begin_envelope(w, request.tool.name, "ok");
  w.name("meta").begin_object().name("repository").string(setup.repository);
  w.name("tech_stack").string(setup.stack).end_object();
  w.name("data").begin_object().name("guide").string(guide);
  w.name("steps").begin_array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    w.begin_object().name("step").count(i + 1).name("title").string(kTitles[i]);
    w.name("instructions").string(steps[i]).end_object();
  }
  w.end_array();
  w.name("verification_task").string(verification_task());
  w.end_object().end_object();
  reply.markdown = fmt::format("**Guide** - three steps for {}\n\n{}", setup.repository, guide);
  return ToolOutcome(std::move(reply));
}

}  // namespace dragoman::mcp
