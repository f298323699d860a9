import fc from 'fast-check';
import { pathOf, queryOf } from '../../src/client/client.ts';
import { type Route, type RouteName, routes } from '../../src/core/contract/routes.ts';
import { type Field, fieldOf, type Kind } from '../support/shape-kinds.ts';

/**
 * Requests as the table of routes has them: valid by their shape for the most part, about records that are there, that
 * are of another workflow, or that never were; and some that are wrong in every way that we could think of.
 */
export interface Request {
  readonly name: RouteName;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

/** What makes a field wrong, whatever it is. */
const WRONG: readonly unknown[] = [
  null,
  true,
  '',
  'x',
  'a\0b',
  '\ud800',
  '\u0007\u001b[31m',
  0,
  -1,
  1.5,
  2 ** 53,
  2 ** 63,
  1e308,
  -0,
  [],
  {},
  [null],
  { a: null },
  nested(100),
  nested(150),
];

/** Words that mean something in a field of this name, and some that do not. */
const WORDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(time_limit|runtime|max_runtime)$/, ['PT1M', 'P0DT1M', 'PT1H', 'P1W', 'PT', '-PT1M', '1h', 'P999999999Y']],
  [/^memory$/, ['1m', '2g', '512K', '0', '1gb', '99999999999999999999t', '-1']],
  [/_time$|^timestamp$/, ['2026-03-01T12:00:00Z', '2026-03-01T13:00:00.5+01:00', 'yesterday', '', '9999-99-99']],
  [/^(name|names|depends_on)$/, ['first', 'second', 'third', 'default', 'big', 'new', 'a b', 'ü', '%', "'", '']],
  [/^resource_requirements$/, ['big', 'default', 'none']],
  [/^(labels|\[\])$/, ['gpu', 'cpu', 'a,b', ' a', '']],
  [/^trigger_type$/, ['on_workflow_start', 'on_jobs_ready', 'on_jobs_complete', 'x']],
  [/^action_type$/, ['run_commands', 'schedule_nodes', 'x']],
  [/^status$/, ['pending', 'active', 'complete', 'x']],
  [/^sort_by$/, ['id', 'name', 'status', 'nonsense', 'id desc', '']],
  [/^(user|user_name)$/, ['ada', 'bob', 'eve', 'a/b', '..', '%2e']],
  [/^(access_group|access_groups)$/, ['team', 'admin', 'none']],
  [/^worker$/, ['me@host:22', 'host', '-o', 'a b']],
  [/^entity_id$/, ['data/in.csv', '#run', '']],
  [/^lineage$/, ['first', 'a__g000001', '%']],
];
const ANY_WORD = ['', 'a', 'true', '{}', "'; drop table job; --", '\u{1f419}', 'x'.repeat(5_000), '\n'];

const isId = (name: string) => /^id$|_ids?$|^(returned|held)$/.test(name) && !/^(run|attempt|entity)_id$/.test(name);

function integer(name: string): fc.Arbitrary<number> {
  // Four of most records are there: two or three of the first workflow, one of the second.
  if (isId(name)) return fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 1, max: 5 }) }, ODD);
  if (name === 'run_id')
    return fc.oneof({ weight: 10, arbitrary: fc.constant(1) }, fc.integer({ min: 0, max: 3 }), ODD);
  if (name === 'attempt_id') return fc.oneof({ weight: 10, arbitrary: fc.integer({ min: 1, max: 2 }) }, ODD);
  return fc.oneof({ weight: 10, arbitrary: fc.integer({ min: 0, max: 10 }) }, ODD);
}
const ODD = fc.constantFrom(0, -1, 99, 100_001, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);

function valueOf(name: string, kind: Kind): fc.Arbitrary<unknown> {
  switch (kind.is) {
    case 'integer':
      return integer(name);
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 64 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'digits':
      return fc.oneof({ weight: 20, arbitrary: integer(name).map(String) }, fc.constantFrom('x', '1.5', '', '9e9'));
    case 'text':
      return fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...(WORDS.find(([names]) => names.test(name))?.[1] ?? ['a', 'b'])) },
        fc.constantFrom(...ANY_WORD),
        fc.string({ unit: 'binary', maxLength: 8 }),
      );
    case 'flag':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...kind.of);
    case 'json':
      return fc.oneof(
        fc.constantFrom<unknown>({ commands: ['true'] }, { scheduler_id: 1, type: 'slurm' }, { category: 'note' }),
        fc.jsonValue({ maxDepth: 3 }),
      );
    case 'list':
      return fc.array(valueOf(name, kind.of), { maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.constantFrom('A', 'b_1', '1', 'A-B', '', '__proto__'), valueOf('', kind.of), {
        maxKeys: 2,
      });
    case 'object':
      return record(kind.fields);
  }
}

const wrong = fc.constantFrom(...WRONG);

/** Every field that must be there and some that may; in one of six, one field is missing, wrong or unknown. */
function record(fields: ReadonlyMap<string, Field>): fc.Arbitrary<Record<string, unknown>> {
  const parts = [...fields].map(([name, { kind, isOptional }]) =>
    fc
      .oneof(
        { weight: 2, arbitrary: valueOf(name, kind) },
        { weight: isOptional ? 3 : 0, arbitrary: fc.constant(undefined) },
      )
      .map((value) => [name, value] as const),
  );
  const fault = fc.option(
    fc.tuple(
      fc.constantFrom(...fields.keys(), 'unknown'),
      fc.oneof({ weight: 3, arbitrary: wrong }, fc.constant(undefined)),
    ),
    { freq: 5 },
  );
  return fc
    .tuple(fc.tuple(...parts), fault)
    .map(([given, broken]) =>
      Object.fromEntries([...given, ...(broken === null ? [] : [broken])].filter(([, value]) => value !== undefined)),
    );
}

const partOf = (shape: Route['body']): fc.Arbitrary<unknown> =>
  shape === undefined
    ? fc.constant(undefined)
    : fc.oneof({ weight: 40, arbitrary: valueOf('[]', fieldOf(shape).kind) }, wrong);

const request = (name: RouteName): fc.Arbitrary<Request> => {
  const { method, path, params, query, body }: Route = routes[name];
  const fields = (shape: typeof params) => (shape === undefined ? fc.constant({}) : record(fieldsOf(shape)));
  return fc.tuple(fields(params), fields(query), partOf(body)).map(([inPath, inQuery, inBody]) => ({
    name,
    method,
    path: pathOf(path, partsOfPath({ ...defaults(params), ...inPath })) + queryOf(encodable(inQuery)),
    body: inBody === undefined ? undefined : JSON.stringify(inBody),
  }));
};

const fieldsOf = (shape: NonNullable<Route['params']>) =>
  (fieldOf(shape).kind as Extract<Kind, { is: 'object' }>).fields;

/** A path has all of its parts. */
const defaults = (shape: Route['params']) =>
  shape === undefined ? {} : Object.fromEntries([...fieldsOf(shape).keys()].map((name) => [name, '1']));

/** As a client writes it into an address: what is no text becomes some, and what could not be encoded is left out. */
const encodable = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value).toWellFormed()]));

/** An empty part and one of dots would be another path. */
const partsOfPath = (values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(encodable(values)).map(([name, value]) => [name, /^\.*$/.test(value) ? 'x' : value]),
  );

const asked = (Object.keys(routes) as RouteName[]).filter((name) => routes[name].kind !== 'stream');
/** What ends everything comes seldom, or nothing else would happen. */
const SELDOM: readonly RouteName[] = ['deleteWorkflow', 'deleteJobs'];

export const anyRequest = fc.oneof(
  ...asked.map((name) => ({ weight: SELDOM.includes(name) ? 1 : 5, arbitrary: request(name) })),
);
