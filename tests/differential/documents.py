# SPDX-License-Identifier: Apache-2.0
"""Seeded generator of well-formed documents, without what the documents' own parsers get wrong:
markers in column 0, JSON on one line, at most three options, no `} -->` inside a string.
"""
import json
import random

WORDS = ('the module reads every request and returns a typed value before session expires — ação '
         'größere naïve 日本語 🟣 ✓ ▶ `code` **bold** a<b x>y "quoted" it\'s 100% c:\\path {brace} '
         '[link](url) -> => --> -- } { &amp; $HOME').split()
LINES = ('', '', '## A heading', '- [x] done', '```ts', '```', '> quoted line', '    indented code',
         '| a | b |', '[INFO] server started', '[Tool: Glob] found 3 files', '<!-- a comment -->',
         'The script prints [PROGRESS] lines', '1. first', '- item', '~~~', '\ttabbed', '***')
BRACKETS = ('[SOMETHING_NEW] y', '[Specific information needed]', '  [NOTE] x', '[', '[]', '[x] done',
            '[link](url)', '\t[SOMETHING_NEW]', '- [x] done', 'see [NOTE] x')
STATUSES = ('pending', 'in_progress', 'completed', 'failed', 'paused')


class Documents:
    """An endless supply; the same seed gives the same documents on every machine."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    # Parts

    def phrase(self, low=1, high=8):
        return ' '.join(self.random.choice(WORDS) for _ in range(self.random.randint(low, high)))

    def string(self):
        """A value with escapes and non-ASCII, but nothing that ends a comment marker."""
        text = self.phrase()
        if self.random.random() < 0.3:
            text += self.random.choice(('\n', '\t', '"', '\\', '\u2028', '\u0000', '\u001b[0m', '/'))
            text += self.phrase()
        return text.replace('} --', '} __').replace('}--', '}__')

    def prose(self):
        if self.random.random() < 0.5:
            return self.random.choice(LINES)
        return self.phrase(3, 14)

    def number(self):
        return self.random.choice((0, 1, 7, 42, 100000, -3, 2.5, 0.125, 9007199254740991, 1e-7))

    def json_text(self, value):
        """The same value in one of the spellings that JSON allows, always on one line."""
        ascii_only = self.random.random() < 0.3
        separators = self.random.choice(((',', ':'), (', ', ': ')))
        text = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
        # A raw line separator ends `.` in JavaScript, though not a line.
        return text.replace('\u2028', '\\u2028')

    def maybe(self, fields, **optional):
        for name, value in optional.items():
            if self.random.random() < 0.4:
                fields[name] = value
        return fields

    # WXCODE

    def wxcode_marker(self):
        kind = self.random.choice(('HEADER', 'TOOL', 'TOOL_RESULT', 'STATUS', 'STATUS',
                                   'NEXT_ACTION', 'ERROR', 'METRIC'))
        data = getattr(self, 'data_' + kind.lower())()
        return f'<!-- WXCODE:{kind}:{self.json_text(data)} -->'

    def data_header(self):
        data = {'command': 'plan-phase', 'args': self.random.choice((None, '', '3', '3 --gaps')),
                'title': 'WXCODE ▶ ' + self.string()}
        return self.maybe(data, phase=self.random.randint(0, 40), plan=self.string())

    def data_tool(self):
        data = {'tool': self.random.choice(('Bash', 'Read', 'MCP')), 'description': self.string()}
        return self.maybe(data, command=self.string(), file='src/a b.ts', mcp_tool='get_schema')

    def data_tool_result(self):
        data = {'tool': self.random.choice(('Bash', 'Read', 'MCP')),
                'success': self.random.random() < 0.7}
        return self.maybe(data, output=self.string(), error=self.string(),
                          duration_ms=self.random.randint(0, 10**7))

    def data_status(self):
        data = {'status': self.random.choice(STATUSES), 'message': self.string()}
        return self.maybe(data, progress=self.random.choice((0, 33, 62.5, 100)),
                          phase=self.random.randint(0, 9), plan='03-01', task=self.string())

    def data_next_action(self):
        data = {'command': 'verify-work', 'description': self.string(),
                'priority': self.random.choice(('required', 'recommended', 'optional'))}
        return self.maybe(data, args=self.random.choice((None, '3')))

    def data_error(self):
        data = {'code': self.random.choice(('TIMEOUT', 'MCP_UNAVAILABLE', 'NO_STATE_FILE')),
                'message': self.string(), 'recoverable': self.random.random() < 0.5}
        return self.maybe(data, suggestion=self.random.choice((None, self.string())))

    def data_metric(self):
        return {'name': self.string(), 'value': self.number(), 'tags': [self.string(), None, True],
                'nested': {'deep': {'deeper': [1, [2, {'x': self.number()}]]}}}

    def wxcode(self):
        parts = []
        for _ in range(self.random.randint(1, 12)):
            if self.random.random() < 0.5:
                parts.append(self.wxcode_marker() * self.random.choice((1, 1, 1, 2)))
            else:
                parts.append(self.prose())
            parts.append(self.random.choice(('\n', '\n', '\n', '\r\n', ' ')))
        return ''.join(parts)

    # Bracket markers

    def line(self):
        """Rest of a marker line: trimmed by every reader, so blanks around it must not matter."""
        text = 'A' + self.phrase(0, 9) + self.random.choice(('', 'z', ' - z', ' (created)'))
        return self.random.choice(('', '', ' ')) + text.rstrip() + self.random.choice(('', '', ' ', '\t'))

    def marker_block(self):
        kind = self.random.randrange(8)
        if kind == 0:
            options = [f'{n}. {self.option()}' for n in range(1, self.random.randint(1, 4))]
            heading = ['Options:'] if options and self.random.random() < 0.7 else []
            return ['[QUESTION] ' + self.line(), *heading, *options, '']
        if kind == 1:
            context = ['- ' + (self.phrase(1, 6).lstrip('[`') or 'x')
                       for _ in range(self.random.randint(0, 3))]
            if self.random.random() < 0.5:  # any bracket ends it, also one that no parser knows
                context.insert(self.random.randint(0, len(context)), self.random.choice(BRACKETS))
            return ['[BLOCKED] ' + self.line(), *context]
        if kind == 2:
            return ['[FILES_MODIFIED]', *(self.file() for _ in range(self.random.randint(1, 4)))]
        if kind == 3:
            return [f'[CODEX_COMPLETE] Task completed in {self.random.randint(0, 99)} iterations']
        if kind == 4:
            return ['[PROGRESS]']
        return ['[PROGRESS] ' + self.line()]

    def option(self):
        label = 'L' + str(self.random.randrange(100))
        return label + self.random.choice(('', ' - ' + self.phrase(2, 5).replace(' - ', ' ')))

    def file(self):
        path = self.random.choice(('src/a.ts', 'src/a b.ts', '../x', '/etc/passwd', 'docs/ação.md'))
        dash = self.random.choice(('- ', '-', '-  '))
        return f'{dash}{path} ({self.random.choice(("created", "modified", "deleted"))})'

    def markers(self):
        lines = []
        for _ in range(self.random.randint(1, 10)):
            if self.random.random() < 0.6:
                lines += self.marker_block()
                if self.random.random() < 0.7:
                    lines.append('')
            else:
                # A blank line first: a block would take plain lines for its own.
                lines += ['', self.prose(), self.prose()]
        end = self.random.choice(('\n', '\n', '\r\n'))
        return end.join(lines) + self.random.choice(('', end))

    # Claude

    def uuid(self):
        return '%08x-0000-4000-8000-%012x' % (self.random.getrandbits(32), self.random.getrandbits(48))

    def question(self):
        question = {'question': self.string() + '?'}
        self.maybe(question, header=self.phrase(1, 2), multiSelect=self.random.random() < 0.5)
        question['options'] = [{'label': f'L{n}', 'description': self.string()}
                               for n in range(self.random.randint(0, 3))]
        if not question['options']:
            question['freeText'] = True
        return question

    def question_text(self):
        questions = [self.question() for _ in range(self.random.randint(1, 2))]
        payload = self.json_text({'questions': questions})
        return self.prose() + '\n\n<!--QUESTION:' + payload + '-->' + self.random.choice(('', '\nbye'))

    def assistant(self, session, block):
        return {'type': 'assistant', 'message': {
            'id': 'msg_' + self.uuid(), 'type': 'message', 'role': 'assistant', 'model': 'claude-opus-5-5',
            'content': [block], 'stop_reason': None, 'usage': {'input_tokens': 42, 'output_tokens': 1}},
            'parent_tool_use_id': None, 'session_id': session, 'uuid': self.uuid()}

    def tool_pair(self, session):
        call = 'toolu_' + self.uuid()
        block = {'type': 'tool_use', 'id': call, 'name': self.random.choice(('Bash', 'Read')),
                 'input': {'command': self.string(), 'n': [1, None]}}
        # What a tool prints is no question, whatever it looks like.
        output = self.random.choice((self.string(), self.question_text()))
        result = {'tool_use_id': call, 'type': 'tool_result', 'content': output}
        if self.random.random() < 0.5:
            result['is_error'] = self.random.random() < 0.5
        yield self.assistant(session, block)
        yield {'type': 'user', 'message': {'role': 'user', 'content': [result]},
               'parent_tool_use_id': None, 'session_id': session, 'uuid': self.uuid()}

    def claude(self):
        session = self.uuid()
        lines = [{'type': 'system', 'subtype': 'init', 'cwd': '/home/dev', 'session_id': session,
                  'tools': ['Bash'], 'model': 'claude-opus-5-5', 'uuid': self.uuid()}]
        for _ in range(self.random.randint(1, 6)):
            choice = self.random.random()
            if choice < 0.4:
                lines += self.tool_pair(session)
            else:
                text = self.question_text() if choice < 0.7 else self.prose() + self.string()
                lines.append(self.assistant(session, {'type': 'text', 'text': text}))
        lines.append({'is_error': self.random.random() < 0.2, 'subtype': 'success',
                      'result': self.string(), 'num_turns': 1, 'session_id': session,
                      'type': 'result', 'uuid': self.uuid()})
        return ''.join(self.json_text(line) + '\n' for line in lines)
