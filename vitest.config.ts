import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Two cores: more workers only fight each other for them.
    maxWorkers: 2,
    testTimeout: 60_000,
    // Whoever runs the tests may have configured torc: none of that may show.
    env: { XDG_CONFIG_HOME: '/nonexistent', TORC_SYSTEM_CONFIG: '/nonexistent/config.toml' },
    reporters: ['default', './tests/support/last-line.ts'],
  },
});
