# SPDX-License-Identifier: Apache-2.0
"""What the Claude document's Python does: JSON per line, the session id, questions in the text.

claude.py FILE            counts, for the benchmark
claude.py --events FILE   FILE holds documents separated by NUL; one JSON line per event
"""
import json
import re
import sys

QUESTION = re.compile(r'<!--QUESTION:(\{.*?\})-->')


def parse(lines):
    events = []
    for line in lines:
        if line.strip():
            events.append(json.loads(line))
    return events


def detect_question(content):
    for block in content:
        if block['type'] == 'text':
            if '<!--QUESTION:' in block['text']:
                return json.loads(QUESTION.search(block['text']).group(1))
    return None


def session_id(events):
    for event in events:
        if event.get('type') == 'system' and 'session_id' in event:
            return event['session_id']
    return None


def neutral(events):
    """In the order of the stream: the questions, tool calls, tool results and results."""
    yield {'type': 'session', 'data': session_id(events)}
    for event in events:
        if event['type'] in ('assistant', 'user'):
            for block in event['message']['content']:
                if block['type'] == 'tool_use':
                    yield {'type': 'tool_use', 'data': {'id': block['id'], 'name': block['name']}}
                elif block['type'] == 'tool_result':
                    yield {'type': 'tool_result', 'data': {'id': block['tool_use_id'],
                                                           'is_error': block.get('is_error', False)}}
        if event['type'] == 'assistant':
            question = detect_question(event['message']['content'])
            if question:
                yield {'type': 'question', 'data': question['questions']}
        elif event['type'] == 'result':
            yield {'type': 'result', 'data': {'result': event['result'],
                                              'is_error': event['is_error']}}


def count(path):
    lines = questions = results = 0
    with open(path, encoding='utf-8', newline='\n') as file:
        for line in file:
            if not line.strip():
                continue
            event = json.loads(line)
            lines += 1
            if event['type'] == 'assistant':
                questions += detect_question(event['message']['content']) is not None
            elif event['type'] == 'result':
                results += 1
    print(lines, questions, results)


if sys.argv[1] == '--events':
    with open(sys.argv[2], encoding='utf-8', newline='') as documents:
        for number, document in enumerate(documents.read().split('\0')):
            for found in neutral(parse(document.split('\n'))):
                print(json.dumps({'doc': number, **found}))
else:
    count(sys.argv[1])
