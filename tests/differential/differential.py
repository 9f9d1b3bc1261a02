#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated documents, read by dragoman in compat mode and by the documents' parsers in Python and
Node: the three must agree event for event.

differential.py --driver PROGRAM --peers DIR [--seed N] [--count N]
The count is multiplied by DRAGOMAN_SCALE (0.05 unless set).
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from documents import Documents
from neutral import of_dragoman, of_peer

DIALECTS = ('wxcode', 'markers', 'claude')
BATCH = 4000


def by_document(lines, neutral, count):
    """What a program printed, as one list of neutral events per document."""
    documents = [[] for _ in range(count)]
    for line in lines:
        found = json.loads(line)
        documents[found.pop('doc')].append(found)
    return [neutral(events) for events in documents]


def run(command):
    """The lines that a program prints; only a newline ends one."""
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return [line for line in output.decode().split('\n') if line]


def compare(dialect, documents, options):
    """The number of documents on which somebody disagrees; the first one is printed."""
    with tempfile.NamedTemporaryFile(suffix='.documents') as file:
        file.write('\0'.join(documents).encode())
        file.flush()
        readers = {
            'dragoman': ([options.driver, dialect, file.name], of_dragoman[dialect]),
            'python': ([sys.executable, options.peers / f'{dialect}.py', '--events', file.name],
                       of_peer[dialect]),
            'node': (['node', options.peers / f'{dialect}.mjs', '--events', file.name],
                     of_peer[dialect]),
        }
        answers = {name: by_document(run(command), neutral, len(documents))
                   for name, (command, neutral) in readers.items()}
    wrong = [n for n in range(len(documents))
             if not answers['dragoman'][n] == answers['python'][n] == answers['node'][n]]
    if wrong:
        explain(dialect, documents[wrong[0]], {name: answer[wrong[0]] for name, answer in answers.items()})
    return len(wrong)


def explain(dialect, document, answers):
    print(f'--- {dialect} document\n{document!r}')
    for row in itertools.zip_longest(*answers.values()):
        if not row[0] == row[1] == row[2]:
            for name, event in zip(answers, row):
                print(f'{name:9}{event}')
            break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--driver', required=True)
    parser.add_argument('--peers', type=pathlib.Path, required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=100_000)
    options = parser.parse_args()

    scale = float(os.environ.get('DRAGOMAN_SCALE') or 0.05)
    per_dialect = math.ceil(options.count * scale / len(DIALECTS))
    wrong = 0
    for dialect in DIALECTS:
        source = Documents(f'{options.seed} {dialect}')
        for start in range(0, per_dialect, BATCH):
            batch = [getattr(source, dialect)() for _ in range(min(BATCH, per_dialect - start))]
            wrong += compare(dialect, batch, options)
    print(f'{per_dialect * len(DIALECTS)} documents, {wrong} disagreements')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
