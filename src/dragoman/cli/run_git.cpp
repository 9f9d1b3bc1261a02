// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_git.hpp"

#include <memory>

#include <fmt/format.h>

#include "dragoman/task/git_safety.hpp"
#include "dragoman/task/git_snapshot.hpp"

namespace dragoman::cli {
namespace {

engine::CommandRisk judge(std::string_view command) {
  const task::GitRisk risk = task::judge_git_command(command);
  engine::CommandRisk out;
  if (risk.tier == task::GitTier::confirmation) out.level = engine::CommandRisk::Level::ask;
  if (risk.tier == task::GitTier::blocked) out.level = engine::CommandRisk::Level::refuse;
  out.what = fmt::format("{}", fmt::join(risk.operations, ", "));
  return out;
}

}  // namespace

std::filesystem::path git_files(const std::filesystem::path& state) {
  return state.empty() ? std::filesystem::path() : state / "git";
}

void guard_git(engine::Plan& plan, const std::string& id, const std::filesystem::path& state) {
  plan.judge = judge;
  plan.before_risk = [cwd = plan.request.cwd, id,
                      place = git_files(state)](const std::string& what) -> std::string {
    const auto made = task::make_checkpoint(cwd, what, id, place);
    if (!made) return fmt::format("no checkpoint: {}", made.error().message);
    if (!*made) return {};
    std::string said = fmt::format("checkpoint: branch {}", (*made)->branch);
    if (!(*made)->ref.empty()) said += fmt::format(", the working tree in {}", (*made)->ref);
    return said;
  };
}

void compare_with_git(engine::Plan& plan, const std::filesystem::path& state) {
  auto begun = task::GitSnapshots::begin(plan.request.cwd, git_files(state));
  if (!begun) return;
  plan.changes = [snapshots = std::shared_ptr<task::GitSnapshots>(
                      *std::move(begun))]() -> std::optional<GitChanges> {
    auto changes = snapshots->changes();
    if (!changes) return std::nullopt;
    return *std::move(changes);
  };
}

}  // namespace dragoman::cli
