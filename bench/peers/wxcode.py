# SPDX-License-Identifier: Apache-2.0
"""What the WXCODE documents' Python parser does: one regular expression over the whole text.

wxcode.py FILE            counts, for the benchmark
wxcode.py --events FILE   FILE holds documents separated by NUL; one JSON line per event
"""
import json
import re
import sys

PATTERN = r'<!-- WXCODE:(\w+):(\{.*?\}) -->'


def parse(markdown):
    events = []
    for match in re.finditer(PATTERN, markdown):
        try:
            events.append((match.group(1), json.loads(match.group(2)), match.group(0), match.start()))
        except json.JSONDecodeError:
            print('failed to parse:', match.group(0), file=sys.stderr)
    content = re.sub(PATTERN, '', markdown).strip()
    return events, content


def print_events(documents):
    for number, document in enumerate(documents):
        events, content = parse(document)
        for kind, data, raw, index in events:
            offset = len(document[:index].encode())
            print(json.dumps({'doc': number, 'type': kind, 'data': data, 'offset': offset,
                              'length': len(raw.encode())}))
        print(json.dumps({'doc': number, 'content': content}))


def read(path):
    with open(path, encoding='utf-8', newline='') as file:
        return file.read()


if sys.argv[1] == '--events':
    print_events(read(sys.argv[2]).split('\0'))
else:
    found, rest = parse(read(sys.argv[1]))
    print(len(found), len(rest))
