// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/command_catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dragoman {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Row {
  std::string name, title, status, next;
  friend bool operator==(const Row&, const Row&) = default;
  friend void PrintTo(const Row& row, std::ostream* out) {
    *out << row.name << " | " << row.title << " | " << row.status << " | " << row.next;
  }
};

// The table of the specification, section 5.
const std::vector<Row>& specified() {
  static const std::vector<Row> kRows = {
      {"add-phase", "ADDING PHASE", "Updating roadmap", "plan-phase"},
      {"add-todo", "ADDING TODO", "Creating todo", "check-todos"},
      {"audit-milestone", "AUDITING MILESTONE", "Checking requirements · Verifying integration",
       "complete-milestone"},
      {"check-todos", "CHECKING TODOS", "Loading todos", "progress"},
      {"complete-milestone", "COMPLETING MILESTONE", "Archiving roadmap · Creating tag",
       "new-milestone"},
      {"create-start-dev", "CREATING START-DEV", "Getting template · Creating script", "start-dev"},
      {"customize", "CUSTOMIZING WXCODE", "Gathering preferences", "status"},
      {"dashboard", "GENERATING DASHBOARD", "Parsing state · Generating JSON", "progress"},
      {"debug", "DEBUG SESSION", "Analyzing · Forming hypothesis · Testing", "progress"},
      {"design-system", "DESIGN SYSTEM", "Collecting inputs · Generating tokens", "progress"},
      {"diff", "DIFF", "", ""},
      {"discuss", "DISCUSSION", "Exploring options", "progress"},
      {"discuss-phase", "DISCUSSING PHASE X", "Analyzing phase · Gathering decisions",
       "plan-phase X"},
      {"execute-phase", "EXECUTING PHASE X", "Executing waves · Verifying", "discuss-phase X+1"},
      {"help", "COMMAND REFERENCE", "", ""},
      {"history", "HISTORY", "", ""},
      {"init", "INITIALIZING WXCODE", "Creating config · Setting up remotes", "help"},
      {"insert-phase", "INSERTING PHASE", "Updating roadmap", "plan-phase"},
      {"join-discord", "JOIN DISCORD", "", ""},
      {"list-phase-assumptions", "PHASE ASSUMPTIONS", "Analyzing phase", "discuss-phase"},
      {"map-codebase", "MAPPING CODEBASE", "Analyzing architecture", "progress"},
      {"mcp-health-check", "MCP HEALTH CHECK", "", ""},
      {"new-milestone", "NEW MILESTONE", "Gathering requirements", "plan-phase 1"},
      {"new-project", "INITIALIZING PROJECT", "Gathering context · Running research",
       "plan-phase 1"},
      {"new-project-greetings", "WELCOME", "", "new-project"},
      {"override", "OVERRIDE", "", ""},
      {"pause-work", "PAUSING WORK", "Creating handoff", "resume-work"},
      {"plan-milestone-gaps", "PLANNING GAP CLOSURE", "Analyzing gaps", "execute-phase"},
      {"plan-phase", "PLANNING PHASE X", "Researching · Creating plan · Verifying",
       "execute-phase X"},
      {"progress", "PROJECT PROGRESS", "Phase X of Y", "execute-phase or plan-phase"},
      {"quick", "QUICK TASK", "Executing task", "progress"},
      {"remove-phase", "REMOVING PHASE", "Updating roadmap", "progress"},
      {"research-phase", "RESEARCHING PHASE X", "Gathering knowledge", "plan-phase X"},
      {"resume-work", "RESUMING WORK", "Loading context", "progress"},
      {"rollback", "ROLLBACK", "", ""},
      {"set-profile", "SET PROFILE", "", ""},
      {"settings", "SETTINGS", "", ""},
      {"start-dev", "STARTING DEV SERVER", "Launching server", "progress"},
      {"status", "STATUS", "", ""},
      {"sync", "SYNCING WITH UPSTREAM", "Fetching · Applying transformations", "status"},
      {"trace", "TRACING ELEMENT", "Finding legacy · Locating converted", "progress"},
      {"update", "UPDATING WXCODE", "Checking · Installing", "version"},
      {"verify-work", "VERIFYING PHASE X", "Testing: [item]", "execute-phase --gaps"},
      {"version", "VERSION", "", ""},
  };
  return kRows;
}

std::string joined(std::span<const std::string_view> words, std::string_view glue) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += glue;
    out += word;
  }
  return out;
}

TEST(CommandCatalog, IsTheTableOfTheSpecificationWithItsFortyFourCommands) {
  std::vector<Row> rows;
  for (const CatalogCommand& command : command_catalog()) {
    rows.push_back({std::string(command.name), std::string(command.title),
                    joined(command.status.view(), " \u00b7 "),
                    joined(command.next.view(), " or ")});
  }
  EXPECT_EQ(rows.size(), 44U);
  EXPECT_EQ(rows, specified());
}

TEST(CommandCatalog, FindsEveryCommandByItsNameAndNothingElse) {
  for (const Row& row : specified()) {
    const CatalogCommand* found = find_command(row.name);
    ASSERT_NE(found, nullptr) << row.name;
    EXPECT_EQ(found->name, row.name);
  }
  for (const std::string_view other : {"", "a", "approved", "plan-phas", "plan-phase2", "zzz"}) {
    EXPECT_EQ(find_command(other), nullptr) << other;
  }
}

TEST(CommandCatalog, PutsThePhaseIntoTheTitle) {
  EXPECT_EQ(title_for("plan-phase", "2"), "WXCODE \u25b6 PLANNING PHASE 2");
  EXPECT_EQ(title_for("execute-phase", "3 --gaps-only"), "WXCODE \u25b6 EXECUTING PHASE 3");
  EXPECT_EQ(title_for("execute-phase", "--wave 2.1"), "WXCODE \u25b6 EXECUTING PHASE 2.1");
  EXPECT_EQ(title_for("plan-phase", ""), "WXCODE \u25b6 PLANNING PHASE");
  EXPECT_EQ(title_for("help", ""), "WXCODE \u25b6 COMMAND REFERENCE");
  EXPECT_EQ(title_for("debug", "login broken 3"), "WXCODE \u25b6 DEBUG SESSION");
  EXPECT_EQ(title_for("no-such-command", "3"), std::nullopt);
}

TEST(CommandCatalog, SuggestsWhatTheMappingSaysForThePhase) {
  using S = CatalogAction;
  EXPECT_THAT(next_actions_for("new-project", ""),
              ElementsAre(S{"plan-phase", "1", "Create the plan for the phase", "recommended"}));
  EXPECT_THAT(next_actions_for("discuss-phase", "4"),
              ElementsAre(S{"plan-phase", "4", "Create the plan for the phase", "recommended"}));
  EXPECT_THAT(next_actions_for("plan-phase", "2"),
              ElementsAre(S{"execute-phase", "2", "Execute the planned tasks", "recommended"}));
  EXPECT_THAT(next_actions_for("execute-phase", "2.1")[0].args, "3");
  EXPECT_THAT(next_actions_for("audit-milestone", "")[0].command, "complete-milestone");
  EXPECT_THAT(next_actions_for("complete-milestone", "")[0].command, "new-milestone");
  EXPECT_THAT(next_actions_for("plan-phase", ""),
              ElementsAre(S{"execute-phase", "", "Execute the planned tasks", "recommended"}));
}

TEST(CommandCatalog, SuggestsByHowACommandWent) {
  using S = CatalogAction;
  for (const CommandOutcome outcome : {CommandOutcome::unstated, CommandOutcome::success}) {
    EXPECT_THAT(next_actions_for("execute-phase", "3", outcome),
                ElementsAre(S{"discuss-phase", "4", "Gather context for next phase", "recommended"},
                            S{"audit-milestone", "", "Check the milestone against its requirements",
                              "recommended"}));
  }
  EXPECT_THAT(
      next_actions_for("execute-phase", "3", CommandOutcome::gaps),
      ElementsAre(S{"plan-phase", "3 --gaps", "Plan the fixes for the gaps", "recommended"}));
  EXPECT_THAT(
      next_actions_for("verify-work", "3", CommandOutcome::gaps),
      ElementsAre(S{"execute-phase", "3 --gaps-only", "Execute gap fix plans", "required"}));
  // Gaps are mended where there are some, and nobody has said so.
  EXPECT_THAT(next_actions_for("verify-work", "3"), IsEmpty());
  EXPECT_THAT(next_actions_for("verify-work", "3", CommandOutcome::success), IsEmpty());
  EXPECT_THAT(next_actions_for("progress", ""),
              ElementsAre(testing::Field(&S::command, "execute-phase"),
                          testing::Field(&S::command, "plan-phase")));
  EXPECT_THAT(next_actions_for("help", ""), IsEmpty());
  EXPECT_THAT(next_actions_for("approved", ""), IsEmpty());
}

TEST(CommandCatalog, GivesAReasonForEverySuggestion) {
  for (const CatalogCommand& command : command_catalog()) {
    for (const CommandOutcome outcome :
         {CommandOutcome::unstated, CommandOutcome::success, CommandOutcome::gaps}) {
      for (const CatalogAction& action : next_actions_for(command.name, "2", outcome)) {
        EXPECT_NE(action.description, "") << command.name << " -> " << action.command;
        EXPECT_NE(find_command(action.command), nullptr) << action.command;
      }
    }
  }
}

TEST(CommandCatalog, KnowsWhichErrorsCanBeRecoveredFrom) {
  std::vector<std::string_view> yes, no, unknown;
  for (const CatalogError& error : error_catalog()) {
    const Recoverable answer = recoverable_by_code(error.code);
    (answer == Recoverable::true_    ? yes
     : answer == Recoverable::false_ ? no
                                     : unknown)
        .push_back(error.code);
  }
  EXPECT_THAT(yes, ElementsAre("MCP_UNAVAILABLE", "GIT_DIRTY", "VALIDATION_FAILED", "AUTH_REQUIRED",
                               "UAT_GAPS_FOUND", "TIMEOUT"));
  EXPECT_THAT(no, ElementsAre("PHASE_NOT_FOUND", "PLAN_NOT_FOUND"));
  EXPECT_THAT(unknown, ElementsAre("FILE_NOT_FOUND", "TOOL_FAILED"));
  EXPECT_EQ(recoverable_by_code("NO_STATE_FILE"), Recoverable::unknown);
}

}  // namespace
}  // namespace dragoman
