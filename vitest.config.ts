import { defineConfig } from 'vitest/config';

// Two cores: more workers only fight each other for them.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: [],
    maxWorkers: 2,
    testTimeout: 20_000,
    reporters: ['default'],
  },
});
