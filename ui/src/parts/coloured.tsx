// SPDX-License-Identifier: Apache-2.0
// What a program printed, in its colours.
import {type Span, drawn} from '../model/colours';
import {neutral} from '../model/neutral';

export function Coloured({spans}: {spans: Span[]}) {
  return <>{spans.map(({text, look}, i) => (look ? <span key={i} {...drawn(look)}>{neutral(text)}</span> : neutral(text)))}</>;
}
