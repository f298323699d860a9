import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Two cores: more workers only fight each other for them.
    maxWorkers: 2,
    testTimeout: 60_000,
    reporters: ['default', './tests/support/last-line.ts'],
  },
});
