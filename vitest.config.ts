import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';

// Nothing is in it: any fixed name may be there on some machine.
const fresh = mkdtempSync(join(tmpdir(), 'torc-no-config-'));
process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));

/**
 * They measure the time of their own thread or the memory of their own process, and what other files left in a process that they share
 * counts there: the collector looks at it, and its peak was 2 GiB after some hundred files.
 */
const measuring = globSync('src/**/*.test.ts', { cwd: import.meta.dirname }).filter((path) =>
  /\/longest-wait\.ts|\bmaxRSS\b/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);

export default defineConfig({
  test: {
    projects: [
      // Beside what they test, and of that alone: files share a process and its modules, which saves 0.2 s of CPU time a file.
      { extends: true, test: { name: 'src', include: ['src/**/*.test.ts'], exclude: measuring, isolate: false } },
      { extends: true, test: { name: 'tests', include: ['tests/**/*.test.ts', ...measuring] } },
    ],
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./tests/support/packed.ts'],
    setupFiles: ['./tests/support/end-of-file.ts'],
    // For two cores: a file waits for most of its time, for Slurm, PBS, kills and clocks.
    maxWorkers: 6,
    // They end what hangs. Beside other work (load 30 on two cores) tests take ten times as long, as does the removal of
    // their folders.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The user who runs the tests may have configured torc: none of that may show.
    env: {
      XDG_CONFIG_HOME: fresh,
      XDG_STATE_HOME: join(fresh, 'state'),
      TORC_SYSTEM_CONFIG: join(fresh, 'config.toml'),
      // Tests run beside each other, and must not wait for each other's jobs; those that start programs give each run a share of its own.
      TORC_SHARE: 'off',
    },
    reporters: ['default', './tests/support/last-line.ts'],
  },
});
