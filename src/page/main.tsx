import { render } from 'preact';
import { App } from './app.tsx';
import { connection } from './connection.ts';
import { showTheme } from './theme.ts';

showTheme();
const place = document.getElementById('page');
// The start token in the address is exchanged before anything else is asked for.
if (place !== null) void connection.begin().then(() => render(<App />, place));
