// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/run_model.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/engine/says.hpp"

namespace dragoman::test {

using namespace std::chrono_literals;
using agent::Protocol;

RunModel::RunModel(const agent::AgentRow& agent, std::uint64_t seed)
    : agent_(agent), random_(seed), has_desk_(!random_.one_in(6)), run_(agent.name, has_desk_) {
  for (std::size_t i = 0; i < agent.words.least; ++i) run_.plan.request.words.emplace_back("word");
  if (random_.one_in(50)) run_.spawner.refuses = Error{ErrorCode::not_found, "no such program"};
  run_.begin();
  over_ = run_.spawner.refuses.has_value();
  if (over_ && (!run_.not_started || run_.ends != 0)) complain("started what cannot be started");
  tell(fmt::format("{}{}", agent.name, has_desk_ ? "" : " without people"));
}

// ---- What happens

void RunModel::step() {
  const std::size_t what = random_.below(64);
  if (what == 0) {
    interrupt();
  } else if (what == 1) {
    end_answers();
  } else if (what < 20) {
    answer();
  } else if (what < 24) {
    const auto time = std::chrono::milliseconds(random_.below(9000));
    tell(fmt::format("{} pass", time.count()));
    run_.loop.pass(time);
  } else if (!running_) {
    if (random_.one_in(12)) {
      tell("cannot be started any more");
      run_.spawner.refuses = Error{ErrorCode::internal, "not now"};
    }
  } else if (what < 30) {
    end_program();
  } else {
    speak();
  }
  check();
}

void RunModel::bring_to_its_end() {
  for (int i = 0; i < 8 && !over_; ++i) {
    if (running_) {
      end_program();
    } else {
      end_answers();
    }
    check();
  }
  if (!over_) complain("does not end");
  if (run_.not_started) return;
  for (int i = 0; i < 3; ++i) {  // nothing wakes it up
    run_.run->end_answers();
    run_.type("t1", "1");
    run_.run->interrupt(SIGTERM);
    run_.loop.pass(1h);
  }
  if (run_.ends != 1) complain("ends again");
}

void RunModel::speak() {
  switch (agent_.protocol) {
    case Protocol::claude:
      return speak_claude();
    case Protocol::codex_exec:
      return speak_codex();
    case Protocol::executor:
      return speak_executor();
    case Protocol::command:
      return speak_command();
  }
}

void RunModel::say(const std::string& bytes, bool in_two) {
  tell("says " + bytes.substr(0, 200));
  std::string all = (std::exchange(half_, false) ? "\n" : "") + bytes;
  if (in_two) {
    const std::size_t cut = 1 + random_.below(all.size() - 1);
    run_.say(all.substr(0, cut));
    if (random_.one_in(2)) run_.loop.pass(300ms);
    all.erase(0, cut);
  }
  run_.say(all);
}

void RunModel::ask(ModelQuestion question, const std::string& bytes) {
  question.start = starts_;
  question.id = question.call + (question.asked_as_tool ? "#0" : "");
  question.due = !question.request.empty() && is_listened_to();
  if (!question.request.empty()) requests_.insert(question.request);
  questions_.push_back(question);
  say(bytes, is_structured() && random_.one_in(4));
  if (has_early(question) && question.due) settle(questions_.back());
}

void RunModel::speak_claude() {
  const std::string n = std::to_string(++number_);
  const std::string call = "t" + n;
  switch (random_.below(10)) {
    case 0:
      has_session_ = true;
      another_began_ = another_began_ || (said_init_ && last_turn_.has_value());
      said_init_ = true;
      return say(says::init());
    case 1:
      last_turn_ = !random_.one_in(5);
      has_session_ = has_session_ || said_init_ || *last_turn_;
      another_began_ = false;
      return say(says::result(*last_turn_));
    case 2:
      another_began_ = last_turn_.has_value();
      return say(says::text("so " + n), random_.one_in(3));
    case 3:
      another_began_ = last_turn_.has_value();
      return ask({.text = "Why " + n + "?"}, says::comment_question("Why " + n + "?"));
    case 4: {
      const std::string text = "Which " + n + "?";
      return ask({.text = text,
                  .call = call,
                  .request = "r" + n,
                  .has_options = true,
                  .asked_as_tool = true},
                 says::ask_user("r" + n, call, says::questions(text)));
    }
    case 5:
      return finish_tool();
    case 6:
      requests_.insert("h" + n);
      return say(says::control("\"h" + n + '"', R"({"subtype":"hook_callback"})"));
    case 7:
      say("{\"type\":\"control_request\",\"request_id\":\"g" + n + "\",\n");
      half_ = random_.one_in(2);
      return half_ ? run_.say("{\"type\":\"assi") : run_.say("\n");
    default:
      return ask({.text = "Allow Bash: make " + n + "?",
                  .call = call,
                  .request = "r" + n,
                  .has_options = true,
                  .permission = true},
                 says::may_use("r" + n, call, "Bash", "{\"command\":\"make " + n + "\"}"));
  }
}

// One of the calls has its result, or its request is withdrawn.
void RunModel::finish_tool() {
  std::vector<std::size_t> calls;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    const ModelQuestion& one = questions_[i];
    if (!one.call.empty() && one.start == starts_) calls.push_back(i);
  }
  if (calls.empty()) return;
  const ModelQuestion about = questions_[random_.pick(calls)];
  for (ModelQuestion& one : questions_) {
    if (one.text == about.text) one.call.clear();
  }
  ModelQuestion& question = *with_text(about.text);
  question.due = false;
  question.request.clear();
  if (random_.one_in(3)) {
    question.open = question.open && about.request.empty();
    return say(says::cancel(about.request));
  }
  // A question whose result has no answers was passed over, whatever people have said.
  question.open = question.asked_as_tool;
  say(says::tool_done(about.call, random_.one_in(4)));
}

void RunModel::speak_codex() {
  const std::string n = std::to_string(++number_);
  switch (random_.below(5)) {
    case 0:
      has_session_ = true;
      another_began_ = last_turn_.has_value();
      return say(says::thread());
    case 1:
      last_turn_ = !random_.one_in(5);
      another_began_ = false;
      return say(says::turn(*last_turn_));
    case 2:
      say("{\"type\":\"item.co\n");
      half_ = random_.one_in(2);
      return half_ ? run_.say("{\"type\":\"turn.comp") : run_.say("\n");
    case 3:
      another_began_ = last_turn_.has_value();
      return say(says::message("so " + n), random_.one_in(3));
    default:
      another_began_ = last_turn_.has_value();
      return ask({.text = "Which " + n + "?"}, says::message("[QUESTION] Which " + n + "?"));
  }
}

void RunModel::speak_executor() {
  const std::string n = std::to_string(++number_);
  switch (random_.below(5)) {
    case 0:
      claimed_ = true;
      return say("[CODEX_COMPLETE] Task completed\n");
    case 1:
      return ask({.text = "No key " + n, .blocked = true},
                 "[BLOCKED] No key " + n + "\n[PROGRESS] next\n");
    case 2:
      say("so " + n + "\n");
      half_ = random_.one_in(2);
      return half_ ? run_.say("and") : run_.say("\xff\n");
    default:
      return ask({.text = "Which " + n + "?"}, "[QUESTION] Which " + n + "?\n[PROGRESS] next\n");
  }
}

void RunModel::speak_command() {
  const std::string n = std::to_string(++number_);
  if (!random_.one_in(4)) return say("so " + n + "\n");
  ask({.text = "Why " + n + "?"},
      "<!--QUESTION:{\"questions\":[{\"question\":\"Why " + n + "?\"}]}-->\n");
}

// ---- Ends and starts

void RunModel::end_program() {
  FakeStart& program = run_.agent();
  const std::size_t how = program.killed ? 0 : random_.below(6);
  good_exit_ = how > 1;
  ended_by_us_ = given_up_ && (program.stopped || program.killed);
  tell(fmt::format("ends {}", how));
  for (ModelQuestion& question : questions_) {
    question.due = false;
    question.request.clear();
    question.call.clear();
  }
  running_ = half_ = false;
  if (how == 0) {
    program.die(SIGKILL);
  } else {
    program.exit(how == 1 ? 1 : 0);
  }
  if (random_.one_in(12)) return interrupt();  // before anything came of it
  run_.loop.settle();
  rest();
}

// What is open is asked now, if nothing else decides.
void RunModel::rest() {
  const std::string now = verdict();
  const bool waits = now == "question" || now == "blocked";
  over_ = !waits || given_up_ || !agent_.can_be_answered();
  if (over_) return;
  for (ModelQuestion& question : questions_) {
    question.due = question.open;
    if (question.due && has_early(question)) settle(question);
  }
  if (!any_due()) return restart();
  if (!has_desk_ || no_answers_) over_ = given_up_ = true;
}

void RunModel::restart() {
  if (agent_.goes_on == agent::GoesOn::by_session && !has_session_) {
    over_ = true;
  } else if (run_.spawner.refuses) {
    over_ = not_started_again_ = true;
  } else {
    ++starts_;
    running_ = true;
    said_init_ = false;
    read_ = 0;
    requests_.clear();
    ended_by_us_ = false;
  }
}

void RunModel::interrupt() {
  tell("interrupt");
  const bool resting = !running_;
  if (!over_) interrupted_ = true;
  run_.run->interrupt(SIGINT);
  run_.loop.settle();
  if (resting) over_ = true;
  for (ModelQuestion& question : questions_) question.due = question.due && !over_;
}

void RunModel::end_answers() {
  tell("no more answers");
  no_answers_ = true;
  run_.run->end_answers();
  run_.loop.settle();
  if (!running_ && any_due()) over_ = given_up_ = true;
}

// ---- Answers

void RunModel::answer() {
  constexpr std::string_view kTyped[] = {"1", "2", "1", "9", ""};
  const std::string words(random_.pick(kTyped));
  if (random_.one_in(8)) return give(fmt::format("t{}", number_ + 1 + random_.below(3)), words);
  if (random_.one_in(8) && any_due()) return give({}, words);
  if (questions_.empty()) return give("unknown", words);
  const std::string id = id_of(random_.pick(questions_));
  if (!id.empty()) give(id, words);
}

void RunModel::give(const std::string& id, const std::string& typed) {
  tell(fmt::format("answer {} {}", id, typed));
  ModelQuestion* meant = nullptr;
  for (ModelQuestion& question : questions_) {
    const bool named =
        id.empty() ? meant == nullptr && run_.desk.open.empty() : id_of(question) == id;
    if (question.due && named) meant = &question;
  }
  const std::size_t said = run_.desk.said.size();
  run_.type(id, typed);
  if (interrupted_) return;
  if (id.empty()) {  // whichever was asked first; without people it is never there
    for (std::size_t i = said; i < run_.desk.said.size(); ++i) {
      if (!run_.desk.said[i].starts_with("answered ")) continue;
      const std::string one = run_.desk.said[i].substr(9, run_.desk.said[i].find(' ', 9) - 9);
      meant = with_text(run_.desk.known[one].text);
    }
    if (meant == nullptr) return;
  }
  if (meant == nullptr) {
    early_[id].push_back(typed);
  } else if (is_valid(*meant, typed)) {
    settle(*meant);
    if (!running_ && !any_due()) restart();
  }
}

void RunModel::settle(ModelQuestion& question) {
  question.due = question.open = false;
  if (question.permission) return;
  claimed_ = false;  // it goes on behind that
  another_began_ = last_turn_.has_value();
}

bool RunModel::is_valid(const ModelQuestion& question, const std::string& typed) const {
  return typed == "1" || typed == "2" ? !question.has_options || typed <= "2"
                                      : typed == "9" && !question.has_options;
}

bool RunModel::has_early(const ModelQuestion& question) const {
  const auto early = early_.find(id_of(question));
  return early != early_.end() && std::ranges::any_of(early->second, [&](const std::string& typed) {
           return is_valid(question, typed);
         });
}

ModelQuestion* RunModel::with_text(const std::string& text) {
  const auto found = std::ranges::find(questions_, text, &ModelQuestion::text);
  return found == questions_.end() ? nullptr : &*found;
}

// The last under which it was asked: the agent may ask again for what people have answered.
std::string RunModel::id_of(const ModelQuestion& question) const {
  for (auto said = run_.desk.said.rbegin(); said != run_.desk.said.rend(); ++said) {
    const std::string id = said->substr(said->find(' ') + 1);
    const auto known = run_.desk.known.find(id);
    if (known != run_.desk.known.end() && known->second.text == question.text) return id;
  }
  return question.id;
}

bool RunModel::any_due() const { return std::ranges::any_of(questions_, &ModelQuestion::due); }

bool RunModel::is_listened_to() const {
  return agent_.stdin_then == agent::Launch::Stdin::conversation &&
         !run_.spawner.starts.back()->input_closed;
}

bool RunModel::is_structured() const {
  return agent_.protocol == Protocol::claude || agent_.protocol == Protocol::codex_exec;
}

std::string RunModel::verdict() const {
  if (interrupted_) return "cancelled";
  if (not_started_again_ || (!good_exit_ && !ended_by_us_)) return "failed";
  if (is_structured() && last_turn_ == false) return "failed";
  const auto open = [](bool blocked) {
    return [blocked](const ModelQuestion& one) { return one.open && one.blocked == blocked; };
  };
  if (std::ranges::any_of(questions_, open(true))) return "blocked";
  if (std::ranges::any_of(questions_, open(false))) return "question";
  bool good = true;
  if (is_structured()) good = last_turn_ == true && !another_began_;
  if (agent_.protocol == Protocol::executor) good = claimed_;
  return good && !ended_by_us_ ? "completed" : "incomplete";
}

// ---- Comparing

void RunModel::check() {
  if (run_.not_started) return;
  if (!interrupted_ && running_ && any_due() && (!has_desk_ || no_answers_)) given_up_ = true;
  if (run_.spawner.starts.size() != starts_) complain("another number of starts");
  if (run_.ends != (over_ ? 1 : 0)) complain(over_ ? "goes on" : "has ended", run_.verdict());
  check_writes();
  check_desk();
  if (over_) check_end();
}

void RunModel::check_writes() {
  const std::string& input = run_.agent().input;
  if (input.find("[written behind the end]") != input.npos) complain("written behind the end");
  constexpr std::string_view kKey = "\"request_id\":\"";
  for (std::size_t end = input.find('\n', read_); end != input.npos;
       end = input.find('\n', read_)) {
    const std::string line = input.substr(read_, end - read_);
    read_ = end + 1;
    if (line.find("\"control_response\"") == line.npos) continue;
    const std::size_t id = line.find(kKey) + kKey.size();
    const std::string request = line.substr(id, line.find('"', id) - id);
    if (!requests_.contains(request)) complain("a response that was not asked for", request);
    if (++responses_[request] > 1) complain("a second response", request);
  }
}

void RunModel::check_desk() {
  const FakeStart& program = run_.agent();
  if (given_up_ && running_ && !program.stopped) complain("waits for answers that do not come");
  if (interrupted_ || !has_desk_ || over_) return;
  std::set<std::string> ours;
  for (const ModelQuestion& question : questions_) {
    if (question.due) ours.insert(question.text);
  }
  std::set<std::string> theirs;
  for (const auto& [id, asked] : run_.desk.open) theirs.insert(asked.text.substr(0, 100));
  if (ours.size() != theirs.size()) complain("other questions lie before people");
  if (ours != theirs)
    complain(fmt::format("{} or {}", ours.empty() ? "none" : *ours.begin(),
                         theirs.empty() ? "none" : *theirs.begin()));
  if (!given_up_ && running_ && program.limits_paused != any_due()) complain("clocks");
}

void RunModel::check_end() {
  if (!run_.loop.waits_for_nothing()) complain("something still waits for its time");
  if (run_.verdict() != verdict())
    complain(fmt::format("the verdict is {}, not {}: {}", run_.verdict(), verdict(),
                         fmt::join(run_.ending.verdict.reasons(), " ")));
  std::map<std::string, std::string> last;  // of what became of each question
  for (const std::string& said : run_.desk.said) {
    const std::size_t blank = said.find(' ', said.starts_with("put aside ") ? 5 : 0);
    const std::string id = said.substr(blank + 1, said.find(' ', blank + 1) - blank - 1);
    const std::string what = said.substr(0, blank);
    if (last[id] == "answered" && what != "answered") complain("asked again under its id", id);
    if (last[id] == "answered" && what == "answered") complain("answered twice", id);
    last[id] = what;
  }
  for (const auto& [id, what] : last) {
    const auto& pending = run_.ending.pending;
    const bool waits = std::ranges::find(pending, id, &KeptQuestion::id) != pending.end();
    if (!waits && what != "answered" && what != "withdraw" && what != "put aside")
      complain("a question is lost", id + " " + what);
  }
}

void RunModel::complain(std::string_view what, std::string_view about) {
  if (!broken_.empty()) return;
  broken_ = fmt::format("{} {}", what, about);
  story_ += fmt::format("--\n{}\n--\n{}\n", fmt::join(run_.audience.lines, "\n"),
                        fmt::join(run_.desk.said, "\n"));
}

void RunModel::tell(std::string_view what) {
  story_ += what;
  if (!story_.ends_with('\n')) story_ += '\n';
}

}  // namespace dragoman::test
