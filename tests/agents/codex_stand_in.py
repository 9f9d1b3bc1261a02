#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for codex: `codex exec` and `codex cloud`, with the command line's own rules.

Everything it is given is written to $HOME/calls/N.json (argv, stdin, environment, directory). What an
exec does is decided by words in its prompt; the cloud's tasks are files in $HOME/cloud. Options that
the real program does not take in that place end it with code 2, as clap does.
"""
import argparse
import json
import os
import re
import signal
import sys
import time
import uuid

HOME = os.environ["HOME"]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        sys.stderr.write("error: unexpected argument: %s\n\nUsage: codex [OPTIONS]\n" % message)
        sys.exit(2)


def note(prompt):
    folder = os.path.join(HOME, "calls")
    os.makedirs(folder, exist_ok=True)
    name = "%d-%d.json" % (time.time_ns(), os.getpid())
    with open(os.path.join(folder, "." + name), "w", encoding="utf-8") as file:
        json.dump({"argv": sys.argv[1:], "stdin": prompt, "environment": dict(os.environ),
                   "cwd": os.getcwd(), "pid": os.getpid()}, file)
    os.rename(os.path.join(folder, "." + name), os.path.join(folder, name))


def say(event):
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def item(event, what, **fields):
    say({"type": event, "item": dict({"id": what, "type": fields.pop("kind")}, **fields)})


def work(prompt, sandbox, schema):
    """The turn, as the words of the prompt want it."""
    if "FAIL_BEFORE_ANY_EVENT" in prompt:
        sys.stderr.write("TypeError: Cannot read property 'name' of null\n    at get (src/a.ts:42:15)\n")
        sys.exit(1)
    if "NO_EVENT" in prompt:
        sys.exit(0)
    known = os.path.join(HOME, "threads")
    os.makedirs(known, exist_ok=True)
    yield_thread = work.thread or str(uuid.uuid4())
    open(os.path.join(known, yield_thread), "w", encoding="utf-8").close()
    say({"type": "thread.started", "thread_id": yield_thread})
    say({"type": "turn.started"})
    if "NO_END" in prompt:
        item("item.completed", "item_0", kind="agent_message", text="I stop here")
        sys.exit(0)
    if "LEAK" in prompt:
        secret = "sk-proj-" + "A1b2" * 12
        item("item.completed", "item_0", kind="agent_message", text="the key is " + secret)
        sys.stderr.write("using " + secret + "\n")
        say({"type": "turn.failed", "error": {"message": "stopped, key " + secret}})
        sys.exit(1)
    if "WRITE" in prompt:
        if sandbox == "read-only":
            time.sleep(1)  # later than what counts as a start that failed
            say({"type": "turn.failed", "error": {"message": "sandbox: read-only file system"}})
            sys.exit(1)
        item("item.started", "item_1", kind="file_change", status="in_progress",
             changes=[{"path": os.path.join(os.getcwd(), "made.txt"), "kind": "add"}])
        with open("made.txt", "w", encoding="utf-8") as file:
            file.write("made\n")
        item("item.completed", "item_1", kind="file_change", status="completed",
             changes=[{"path": os.path.join(os.getcwd(), "made.txt"), "kind": "add"}])
    if "COMMAND" in prompt:
        item("item.started", "item_2", kind="command_execution", command="npm test",
             aggregated_output="", exit_code=None, status="in_progress")
        item("item.completed", "item_2", kind="command_execution", command="npm test",
             aggregated_output="Tests:       47 passed, 47 total\n", exit_code=0, status="completed")
    if "TURN_FAILED" in prompt:
        time.sleep(1)
        say({"type": "turn.failed", "error": {"message": "the model is not available"}})
        sys.exit(1)
    if "HANG" in prompt:
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with open(os.path.join(HOME, "child"), "w", encoding="utf-8") as file:
                file.write(str(os.getpid()))
            time.sleep(600)
        time.sleep(600)
    if "SLEEP" in prompt:
        time.sleep(float(re.search(r"SLEEP ([0-9.]+)", prompt).group(1)))
    if "ASK" in prompt and not work.thread:
        item("item.completed", "item_3", kind="agent_message",
             text='<!--QUESTION:{"questions":[{"question":"Which color?","header":"Color",'
                  '"options":[{"label":"red"},{"label":"blue"}]}]}-->')
    elif "NOTHING" not in prompt:
        text = "done" if not schema else json.dumps({"answer": 42})
        item("item.completed", "item_4", kind="agent_message", text=text)
    say({"type": "turn.completed",
         "usage": {"input_tokens": 12000, "cached_input_tokens": 11160, "output_tokens": 3500}})


def run_exec(words):
    parser = Parser(prog="codex exec", allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-s", "--sandbox",
                        choices=["read-only", "workspace-write", "danger-full-access"])
    parser.add_argument("-m", "--model")
    parser.add_argument("-c", "--config", action="append")
    parser.add_argument("--output-schema")
    parser.add_argument("--skip-git-repo-check", action="store_true")
    before, after = words, []
    if "resume" in words:
        at = words.index("resume")
        before, after = words[:at], words[at + 1:]
    options, rest = parser.parse_known_args(before)
    if after:
        # `resume` has hardly any options of its own: --sandbox behind it is an error.
        resume = Parser(prog="codex exec resume", allow_abbrev=False)
        resume.add_argument("session")
        resume.add_argument("prompt")
        rest = [resume.parse_args(after).prompt]
    if rest != ["-"]:
        sys.stderr.write("error: unexpected argument '%s' found\n" % " ".join(rest))
        sys.exit(2)
    prompt = sys.stdin.read()
    note(prompt)
    if not options.skip_git_repo_check and not os.path.isdir(".git"):
        sys.stderr.write("Not inside a trusted directory and --skip-git-repo-check was not specified.\n")
        sys.exit(1)
    if options.output_schema:
        with open(options.output_schema, encoding="utf-8") as file:
            json.load(file)
    work.thread = after[0] if after else None
    if work.thread and not os.path.exists(os.path.join(HOME, "threads", work.thread)):
        sys.stderr.write("Error: thread/resume failed: no rollout found for thread id %s\n" % work.thread)
        sys.exit(1)
    work(prompt, options.sandbox or "read-only", options.output_schema)


def cloud_tasks():
    folder = os.path.join(HOME, "cloud")
    tasks = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                tasks.append(json.load(file))
    return tasks


def find_cloud(task_id):
    for task in cloud_tasks():
        if task["id"] == task_id:
            return task
    sys.stderr.write("Error: task not found: %s\n" % task_id)
    sys.exit(1)


def cloud_exec(words):
    parser = Parser(prog="codex cloud exec", allow_abbrev=False)
    parser.add_argument("--env", required=True)
    parser.add_argument("--attempts", type=int, default=1, choices=[1, 2, 3, 4])
    parser.add_argument("--branch")
    parser.add_argument("-c", "--config", action="append")
    parser.add_argument("query")
    options = parser.parse_args(words)
    prompt = sys.stdin.read() if options.query == "-" else options.query
    note(prompt)
    with open(os.path.join(HOME, "cloud", "environments"), encoding="utf-8") as file:
        if options.env not in file.read().split():
            sys.stderr.write("Error: environment '%s' not found; run `codex cloud` to list available "
                             "environments\n" % options.env)
            sys.exit(1)
    task_id = "task_e_%032x" % uuid.uuid4().int
    with open(os.path.join(HOME, "cloud", task_id + ".json"), "w", encoding="utf-8") as file:
        json.dump({"id": task_id, "url": "https://chatgpt.com/codex/tasks/" + task_id,
                   "title": prompt[:40], "status": "pending", "updated_at": "2026-11-16T04:00:00Z",
                   "environment_id": options.env, "environment_label": options.env,
                   "summary": {"files_changed": 0, "lines_added": 0, "lines_removed": 0},
                   "is_review": False, "attempt_total": options.attempts}, file)
    print("https://chatgpt.com/codex/tasks/" + task_id)


def cloud_list(words):
    parser = Parser(prog="codex cloud list", allow_abbrev=False)
    parser.add_argument("--env")
    parser.add_argument("--limit", type=int, default=20, choices=range(1, 21))
    parser.add_argument("--cursor")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    note("")
    tasks = [t for t in cloud_tasks() if not options.env or t["environment_id"] == options.env]
    start = int(options.cursor or 0)
    page = tasks[start:start + options.limit]
    more = start + options.limit < len(tasks)
    print(json.dumps({"tasks": page, "cursor": str(start + options.limit) if more else None}))


def run_cloud(words):
    if not os.path.exists(os.path.join(HOME, "signed-in")):
        sys.stderr.write("WARNING: proceeding, even though we could not create PATH aliases\n"
                         "Not signed in. Please run 'codex login' to sign in with ChatGPT, then re-run "
                         "'codex cloud'.\n")
        sys.exit(1)
    verb, rest = words[0], words[1:]
    if verb == "exec":
        cloud_exec(rest)
    elif verb == "list":
        cloud_list(rest)
    elif verb == "status" and len(rest) == 1:
        note("")
        task = find_cloud(rest[0])
        print("[%s] %s\n%s  •  %s" % (task["status"].upper(), task["title"], task["environment_label"],
                                      task["updated_at"]))
        sys.exit(0 if task["status"] in ("ready", "applied") else 1)
    elif verb == "diff":
        parser = Parser(prog="codex cloud diff", allow_abbrev=False)
        parser.add_argument("task_id")
        parser.add_argument("--attempt", type=int, default=1, choices=[1, 2, 3, 4])
        options = parser.parse_args(rest)
        note("")
        task = find_cloud(options.task_id)
        path = os.path.join(HOME, "cloud", "%s.%d.diff" % (task["id"], options.attempt))
        if not os.path.exists(path):
            sys.stderr.write("Error: no diff available for task %s\n" % task["id"])
            sys.exit(1)
        with open(path, encoding="utf-8") as file:
            sys.stdout.write(file.read())
    else:
        sys.stderr.write("error: unrecognized subcommand '%s'\n" % verb)
        sys.exit(2)


if len(sys.argv) > 1 and sys.argv[1] == "exec":
    run_exec(sys.argv[2:])
elif len(sys.argv) > 2 and sys.argv[1] == "cloud":
    run_cloud(sys.argv[2:])
else:
    sys.stderr.write("error: unrecognized subcommand\n")
    sys.exit(2)
