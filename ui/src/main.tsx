// SPDX-License-Identifier: Apache-2.0
import {render} from 'preact';
import '@preact/signals'; // components follow the signals they read
import './style/base.css';
import './style/shell.css';
import './style/overview.css';
import './style/run.css';
import './style/blocks.css';
import './style/colours.css';
import './style/forms.css';
import './style/charts.css';
import './style/print.css';
import {beginKeys} from './keys';
import {beginPrefs} from './prefs';
import {beginRouting} from './router';
import {Shell} from './shell';
import {begin} from './store';
import {beginDropping} from './views/viewer';

beginPrefs();
beginRouting();
beginKeys();
beginDropping();
const root = document.getElementById('app');
if (root) render(<Shell />, root);
void begin();
