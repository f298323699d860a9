import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/client/client.ts';
import { type Route, type RouteName, routes } from '../../src/core/contract/routes.ts';
import type { Listening } from '../support/listening.ts';
import { type Field, fieldOf, type Kind, kindOf } from '../support/shape-kinds.ts';
import { unharmedServer } from './unharmed.ts';

/**
 * Every field that any route takes, sent as what it is not: each is refused by its name, and nothing is written.
 *
 * The fields are those of the table of routes, so a new one is tried as soon as it stands there.
 */
const unharmed = unharmedServer();

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const DIGITS = [
  'x',
  '1.5',
  '1e3',
  '0x1',
  ' 1',
  '1,2',
  '१',
  '9007199254740992',
  '9223372036854775808',
  '-99999999999999999999',
];
const NUMBERS = ['1', true, [], {}];

/** Values that are not of the kind, each with the place within the field that the refusal must name. */
function wrong(kind: Kind): readonly (readonly [place: string, value: unknown])[] {
  const here = (...values: unknown[]) => values.map((value) => ['', value] as const);
  switch (kind.is) {
    case 'integer':
      return here(...NUMBERS, 1.5, 2 ** 53, -(2 ** 63), 1e308, ...(kind.min > -1 ? [-1] : []));
    case 'number':
      return here(...NUMBERS, ...(Number.isFinite(kind.max) ? [1e308, -1e308] : []));
    case 'text':
      return here(7, false, [], {}, 'a\0b', '\ud800', 'a\udfffb');
    case 'flag':
      return here('true', 1, [], {});
    case 'choice':
      return here('nonsense', 1, []);
    case 'json':
      return here(nested(129), nested(100_000), ['\ud800']);
    case 'digits':
      return here(...DIGITS.filter((text) => kind.isWhole || text !== '1.5'));
    case 'list':
      return [...here({}, 'x', 1, nested(100_000)), ...within('[0]', kind.of, (value) => [value])].filter(
        ([place, value]) => place !== '' || !Array.isArray(value),
      );
    case 'map':
      return [...here('x', 1, []), ...within('.k', kind.of, (value) => ({ k: value }))];
    case 'object':
      return [
        ...here('x', 1, []),
        ...[...kind.fields].flatMap(([name, field]) => within(`.${name}`, field.kind, (value) => ({ [name]: value }))),
      ];
  }
}

const within = (place: string, kind: Kind, put: (value: unknown) => unknown) =>
  wrong(kind).map(([inner, value]) => [place + inner, put(value)] as const);

/** What is wrong of a field of a body, and that it must be there. */
const wrongField = ({ kind, isOptional }: Field) =>
  isOptional || kind.is === 'json' ? wrong(kind) : [...wrong(kind), ['', null] as const];

const fieldsOf = (shape: Route['body']): [string, Field][] => {
  if (shape === undefined) return [];
  const kind = kindOf(shape);
  return kind.is === 'object' ? [...kind.fields] : [];
};

const routeOf = (name: RouteName): Route => routes[name];
/** The stream has a door of its own; see the end. */
const names = (Object.keys(routes) as RouteName[]).filter((name) => routeOf(name).kind !== 'stream');
/** Any ids that are there, so that only what is tried is wrong. */
const ones = (route: Route) => Object.fromEntries(fieldsOf(route.params).map(([name]) => [name, '1']));
const status = (route: Route) => (route.path.includes('{status}') ? { status: 'ready' } : {});

async function expectRefused(sent: Parameters<Listening['send']>[0], code: string, named: string): Promise<void> {
  const { status: found, error } = await unharmed.server.send(sent);
  const reported = {
    found,
    code: error.code,
    isNamed: error.message.includes(named),
    message: error.message.slice(0, 300),
  };
  expect({ ...reported, sent: { ...sent, body: sent.body?.slice(0, 200) } }).toMatchObject({
    found: code === 'BODY_REFUSED' ? 422 : 400,
    code,
    isNamed: true,
  });
}

describe('a field of the wrong kind is refused by its name, and nothing is written', () => {
  it.each(names.filter((name) => fieldsOf(routeOf(name).params).length > 0))('in the path of %s', async (name) => {
    const route = routeOf(name);
    for (const [field, { kind }] of fieldsOf(route.params)) {
      const values = kind.is === 'text' ? ['a\0b'] : wrong(kind).map(([, value]) => String(value));
      // An empty part of a path is another path.
      for (const value of values.filter((each) => each !== '')) {
        const path = pathOf(route.path, { ...ones(route), ...status(route), [field]: value });
        await expectRefused({ method: route.method, path, headers: {} }, 'PARAMETER_REFUSED', `${field}: `);
      }
    }
  });

  it.each(names.filter((name) => fieldsOf(routeOf(name).query).length > 0))('in the query of %s', async (name) => {
    const route = routeOf(name);
    for (const [field, { kind, isOptional }] of fieldsOf(route.query)) {
      const values = kind.is === 'text' ? ['a\0b'] : [...wrong(kind).map(([, value]) => String(value)), ''];
      for (const value of [...values, ...(isOptional ? [] : [undefined])]) {
        const query = value === undefined ? '' : `?${field}=${encodeURIComponent(value)}`;
        const path = pathOf(route.path, { ...ones(route), ...status(route) }) + query;
        await expectRefused({ method: route.method, path, headers: {} }, 'PARAMETER_REFUSED', `${field}: `);
      }
    }
  });

  it.each(names.filter((name) => routeOf(name).body !== undefined))('in the body of %s', async (name) => {
    const route = routeOf(name);
    const body = route.body as NonNullable<Route['body']>;
    const path = pathOf(route.path, { ...ones(route), ...status(route) });
    const whole = fieldOf(body).kind;
    for (const [, value] of whole.is === 'object' ? wrong({ ...whole, fields: new Map() }) : wrong(whole)) {
      await expectRefused({ method: route.method, path, body: JSON.stringify(value) }, 'BODY_REFUSED', 'Invalid');
    }
    for (const [field, of] of fieldsOf(body)) {
      for (const [place, value] of wrongField(of)) {
        const sent = { method: route.method, path, body: JSON.stringify({ [field]: value }) };
        await expectRefused(sent, 'BODY_REFUSED', `${field}${place}: `);
      }
    }
  });
});

describe('the event stream', () => {
  it.each(['/workflows/x/events/stream', '/workflows/1/events/stream?level=%00'])(
    'the event stream refuses %s',
    async (path) => {
      await expectRefused({ method: 'GET', path }, 'PARAMETER_REFUSED', 'Invalid');
    },
  );
});
