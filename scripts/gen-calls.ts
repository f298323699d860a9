/**
 * Puts methods and paths of the routes, and what distinguishes their replies from those of another program, into a module without schemas:
 * what a client needs, and it starts 30 ms sooner.
 */
import * as z from 'zod';
import { type Route, type RouteName, routes } from '../src/core/contract/routes.ts';
import { write } from './write-generated.ts';

/** Torc's own server promises no field of its replies to these. */
const OPEN: ReadonlySet<string> = new Set<RouteName>([
  'getActiveTask',
  'cancelWorkflow',
  'resetStatus',
  'createFiles',
  'createUserDataList',
  'deleteFailureHandler',
  'deleteFiles',
  'deleteUserDataList',
  'deleteResults',
  'deleteEvents',
  'deleteResourceRequirementsList',
]);

/** The names of fields that every reply of the route has; `[]` for a list. */
function expectedOf(name: string, { reply, kind }: Route): string {
  if (kind === 'stream' || OPEN.has(name)) return '';
  const { type, required = [] } = z.toJSONSchema(reply, { unrepresentable: 'any' });
  return type === 'array' ? '[]' : required.slice(0, 5).join(' ');
}

const entries = Object.entries(routes as Readonly<Record<string, Route>>).map(
  ([name, route]) => `  ${name}: ['${route.method}', '${route.path}', '${expectedOf(name, route)}'],`,
);

write(
  'src/client/calls.gen.ts',
  `// Made by scripts/gen-calls.ts from the table of routes.\n` +
    `import type { RouteName } from '../core/contract/routes.ts';\n` +
    `import type { ExpectedReply } from './reply.ts';\n\n` +
    `export const calls: Readonly<Record<RouteName, readonly [method: string, path: string, reply: ExpectedReply]>> = {\n${entries.join('\n')}\n};\n`,
);
