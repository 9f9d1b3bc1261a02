# SPDX-License-Identifier: Apache-2.0
"""What the marker protocol's Python parser does: split into lines, strip each, look at its start.

markers.py FILE            counts, for the benchmark
markers.py --events FILE   FILE holds documents separated by NUL; one JSON line per event
"""
import json
import sys


def parse(output):
    events = []
    lines = output.split('\n')
    i = 0
    while i < len(lines):
        line = lines[i].strip()

        if line.startswith('[PROGRESS]'):
            events.append(('progress', line[10:].strip()))

        elif line.startswith('[QUESTION]'):
            options = []
            i += 1
            while i < len(lines) and lines[i].strip().startswith(('1.', '2.', '3.', 'Options:')):
                options.append(lines[i].strip())
                i += 1
            events.append(('question', {'question': line[10:].strip(), 'options': options}))
            continue

        elif line.startswith('[BLOCKED]'):
            context = []
            i += 1
            while i < len(lines) and lines[i].strip() and not lines[i].strip().startswith('['):
                context.append(lines[i].strip())
                i += 1
            events.append(('blocked', {'reason': line[9:].strip(), 'context': context}))
            continue

        elif line.startswith('[FILES_MODIFIED]'):
            files = []
            i += 1
            while i < len(lines) and lines[i].strip().startswith('-'):
                files.append(lines[i].strip()[1:].strip())
                i += 1
            events.append(('files_modified', files))
            continue

        elif line.startswith('[CODEX_COMPLETE]'):
            events.append(('completed', True))

        i += 1
    return events


def print_events(documents):
    for number, document in enumerate(documents):
        for kind, data in parse(document):
            print(json.dumps({'doc': number, 'type': kind, 'data': data}))


def read(path):
    with open(path, encoding='utf-8', newline='') as file:
        return file.read()


if sys.argv[1] == '--events':
    print_events(read(sys.argv[2]).split('\0'))
else:
    print(len(parse(read(sys.argv[1]))))
