# SPDX-License-Identifier: Apache-2.0
"""Brings dragoman's events and the peers' answers into one form, so that they can be compared.

Left out on both sides: `Options:` lines, a question's context, absent and null fields, and what only
dragoman knows (ids, diagnostics, usage).
"""
import re

WXCODE_TYPES = {'command_started': 'HEADER', 'tool_started': 'TOOL', 'tool_finished': 'TOOL_RESULT',
                'status': 'STATUS', 'next_action': 'NEXT_ACTION', 'failure': 'ERROR'}
DIAGNOSTICS = ('diagnostic', 'quoted_marker')
ANSWERED_BY_DRAGOMAN_ALONE = ('id', 'outcome', 'reason', 'by', 'input', 'type')


def without_nulls(data):
    return {name: value for name, value in data.items() if value is not None}


def joined_text(events):
    return ''.join(event['data']['text'] for event in events if event['kind'] == 'text').strip()


# WXCODE

def wxcode_of_dragoman(events):
    found = [wxcode_event(event) for event in events if event['kind'] not in ('text', *DIAGNOSTICS)]
    return [*found, ('content', joined_text(events))]


def wxcode_event(event):
    kind, data, origin = event['kind'], event['data'], event['origin']
    if kind == 'unknown':
        return (data['type'], data['raw'], origin['offset'], origin['length'])
    fields = without_nulls(data)
    if kind == 'tool_finished':
        fields['success'] = fields['outcome'] == 'ok'
    for name in ANSWERED_BY_DRAGOMAN_ALONE:
        fields.pop(name, None)
    return (WXCODE_TYPES[kind], fields, origin['offset'], origin['length'])


def wxcode_of_peer(events):
    return [('content', event['content']) if 'content' in event else
            (event['type'], peer_data(event), event['offset'], event['length']) for event in events]


def peer_data(event):
    return without_nulls(event['data']) if event['type'] in WXCODE_TYPES.values() else event['data']


# Bracket markers

def markers_of_dragoman(events):
    return [found for event in events if (found := marker_event(event)) is not None]


def marker_event(event):
    kind, data = event['kind'], event['data']
    if kind == 'status':
        return ('progress', data['message'])
    if kind == 'question':
        options = [(option['label'], option.get('description', '')) for option in data['options']]
        return ('question', data['text'], options)
    if kind == 'blocked':
        return ('blocked', data['reason'], data.get('context') or [])
    if kind == 'files_changed':
        return ('files_modified', [f'{file["path"]} ({file["action"]})' for file in data['files']])
    if kind == 'completion_claimed':
        return ('completed',)
    return None if kind in ('text', *DIAGNOSTICS) else (kind, data)


def markers_of_peer(events):
    return [peer_marker(event['type'], event['data']) for event in events]


def peer_marker(kind, data):
    if kind == 'question':
        options = [peer_option(option) for option in data['options'] if option != 'Options:']
        return ('question', data['question'], options)
    if kind == 'blocked':
        return ('blocked', data['reason'], data['context'])
    return ('completed',) if kind == 'completed' else (kind, data)


def peer_option(line):
    label, _, description = re.sub(r'^\d+\.\s*', '', line).partition(' - ')
    return (label, description)


# Claude

def claude_of_dragoman(events):
    session = next((event['data']['session_id'] for event in events
                    if event['kind'] == 'session_started'), None)
    found = [found for event in events if (found := claude_event(event)) is not None]
    return [('session', session), *found]


def claude_event(event):
    kind, data = event['kind'], event['data']
    if kind == 'tool_started':
        return ('tool_use', data['id'], data['tool'])
    if kind == 'tool_finished':
        return ('tool_result', data['id'], data['outcome'] == 'failed')
    if kind == 'question':
        return question(data['text'], data.get('options') or [], data.get('multi_select', False))
    if kind == 'turn_finished':
        return ('result', data['text'], not data['ok'])
    return None


def question(text, options, multi_select):
    return ('question', text, [(option['label'], option['description']) for option in options],
            multi_select)


def claude_of_peer(events):
    found = []
    for event in events:
        kind, data = event['type'], event['data']
        if kind == 'session':
            found.append(('session', data))
        elif kind == 'question':
            found += [question(each['question'], each['options'], each.get('multiSelect', False))
                      for each in data]
        elif kind == 'result':
            found.append(('result', data['result'], data['is_error']))
        else:
            found.append((kind, data['id'], data['name'] if kind == 'tool_use' else data['is_error']))
    return found


of_dragoman = {'wxcode': wxcode_of_dragoman, 'markers': markers_of_dragoman,
               'claude': claude_of_dragoman}
of_peer = {'wxcode': wxcode_of_peer, 'markers': markers_of_peer, 'claude': claude_of_peer}
