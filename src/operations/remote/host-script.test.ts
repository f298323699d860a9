import { expect, it } from 'vitest';
import { greetingCommand, scriptCommand } from '../../cluster/ssh/remote-script.ts';
import { explainScript, rangeScript, startScript, taskScript } from './host-script.ts';

const greeting = { nonce: '01234567', factors: [39_999, 39_999] } as const;

it.each([
  ['that starts a runner', scriptCommand(greeting, startScript)],
  ['of a task', scriptCommand(greeting, taskScript)],
  ['that explains', scriptCommand(greeting, explainScript)],
  ['that fetches', scriptCommand(greeting, rangeScript)],
  ['of the first login', greetingCommand(greeting)],
])(
  'the command %s has nothing that login shells read in different ways, and is a word that csh takes',
  (_, command) => {
    const [, before, script, after] = /^([^']*)'([^']*)'(.*)$/s.exec(command) ?? [];
    expect([before, after]).toEqual(['exec /bin/sh -c ', '']);
    // `!` of csh, the backslash of fish, and line breaks of csh.
    expect(script).toMatch(/^[^!\\\n]+$/);
    expect(command.length).toBeLessThan(1_000);
  },
);
