import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** What a program that holds signals prints: `$ask` runs between the hold and the release, in the same turn of the event loop. */
async function printed(ask: string): Promise<string> {
  const program = `
    import { holdSignals } from ${JSON.stringify(join(import.meta.dirname, 'held-signals.ts'))};
    const held = holdSignals();
    ${ask}
    held.release((signal) => console.log('acts on', signal));
    // The runtime delivers a signal in the next turn.
    setImmediate(() => setImmediate(() => console.log('ends')));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text(child.stdout);
}

it('a signal that arrives while a runner starts is acted on once the runner can, also if the runtime has not delivered it yet', async () => {
  expect(await printed("process.kill(process.pid, 'SIGINT');")).toBe('acts on SIGINT\nends\n');
  expect(await printed("process.kill(process.pid, 'SIGTERM'); await new Promise(setImmediate);")).toBe(
    'acts on SIGTERM\nends\n',
  );
});

it('a runner that starts acts on no signal if none arrives', async () => {
  expect(await printed('')).toBe('ends\n');
});
