import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { type Route, routes } from '../../src/core/contract/routes.ts';
import { fill } from '../contract/routes/world.ts';
import { isCi } from '../support/in-ci.ts';
import { testService, type TestService } from '../support/service.ts';
import { life } from './life.ts';
import { anyRequest, type Request } from './requests.ts';
import { violations } from './violations.ts';

// Seconds in which nothing is found; minutes, for who looks: TORC_FUZZ_SECONDS=300 npx vitest run tests/fuzz
const SECONDS = Number(process.env['TORC_FUZZ_SECONDS'] ?? (isCi ? 10 : 5));

const requests = fc.array(fc.oneof(anyRequest, life), { minLength: 1, maxLength: 80, size: 'max' });

/** Why an answer breaks its promise, if it does. */
function faultOf({ name }: Request, status: number, text: string): string | undefined {
  if (status >= 500) return `answers ${status}`;
  const json = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
  if (status >= 400) {
    const { message, code } = json.error ?? {};
    if (typeof message === 'string' && message !== '' && typeof code === 'string') return undefined;
    return `refuses without a message or a code: ${text}`;
  }
  const { reply }: Route = routes[name];
  const parsed = reply.safeParse(json);
  if (!parsed.success) return `answers what is not its shape: ${parsed.error.message}`;
  return JSON.stringify(sorted(parsed.data)) === JSON.stringify(sorted(json))
    ? undefined
    : `answers more than its shape: ${text}`;
}

async function send({ app }: TestService, { method, path, body }: Request): Promise<{ status: number; text: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await app.request(BASE_PATH + path, { method, ...(body === undefined ? {} : { headers, body }) });
  return { status: response.status, text: await response.text() };
}

it(
  'whatever is asked, in whatever order: no failure, no answer that is not as it was promised, no contradiction within',
  async () => {
    let asked = 0;
    const answered = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(requests, async (sequence) => {
        const service = testService();
        await fill(service.client);
        for (const each of sequence) {
          const { status, text } = await send(service, each);
          asked += 1;
          if (status < 400) answered.set(each.name, (answered.get(each.name) ?? 0) + 1);
          const fault = faultOf(each, status, text);
          if (fault !== undefined || service.errors.length > 0) {
            throw new Error(`${each.method} ${each.path} ${fault ?? ''}\n${each.body ?? ''}`, {
              cause: service.errors[0],
            });
          }
        }
        await service.store.turns.idle();
        expect(violations(service.store.db)).toEqual([]);
      }),
      { interruptAfterTimeLimit: SECONDS * 1000, numRuns: Number.MAX_SAFE_INTEGER },
    );
    // A generator that only makes what is refused would find nothing. A busy machine asks little in that time.
    expect(answered.size).toBeGreaterThan(asked > 5_000 ? 110 : Math.min(30, asked / 20));
  },
  (SECONDS + 60) * 1000,
);

/** The same with keys in order, for comparing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}
