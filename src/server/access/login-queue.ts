import { smallest } from '../../core/quantity/extremes.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * The order in which passwords are compared.
 *
 * A comparison takes a tenth of a second or more, and comparisons run one after another. So a client that sends wrong
 * passwords could delay everybody else. These rules prevent that:
 *
 * - User names take turns, and for one name the addresses take turns. Many logins for one name delay another name by
 *   one comparison.
 * - A login that succeeded before is compared first.
 * - Few logins of one name and address may wait; more are refused. Logins beyond a total are refused too, first those
 *   of the longest queue.
 * - After a few wrong passwords for a name from an address, its comparisons are spaced out. The right password is still
 *   compared, and from another address it is not delayed at all.
 * - A login whose connection is closed is not compared.
 */
interface WaitingLogin {
  readonly name: string;
  /** Network address of the client. */
  readonly address: string;
  /** The same login succeeded before. */
  readonly isTrusted: boolean;
  /** The client no longer waits for the reply. */
  isGone(): boolean;
  compare(): Promise<boolean>;
}

/** `gone`: the login was not compared. */
export type LoginOutcome = 'right' | 'wrong' | 'gone';

interface Entry {
  readonly login: WaitingLogin;
  readonly settle: (outcome: Promise<boolean> | LoginOutcome) => void;
  readonly refuse: (refusal: Refusal) => void;
}

interface Failures {
  count: number;
  lastMs: number;
}

/** Waiting logins of one name and address. Too few, and a browser that opens several connections is refused. */
const WAITING_EACH = 8;
/** The same while they are delayed: each waits for as long as the delay. */
const WAITING_DELAYED = 2;
/** All waiting logins; at 0.25 s each the last one waits for a minute. */
const WAITING_TOTAL = 256;
/** Wrong passwords that are compared without a delay: a user may try several. */
const FREE_FAILURES = 5;
const FIRST_DELAY_MS = 1_000;
/** 450 guesses an hour and address; a user still waits this long for the reply. */
const LONGEST_DELAY_MS = 8_000;
const FORGET_FAILURES_MS = 15 * 60_000;
/** Names and addresses whose failures are stored. */
const REMEMBERED_FAILURES = 10_000;

export interface LoginQueue {
  /** Waits for its comparison. Rejects with a refusal if too many logins wait. */
  ask(login: WaitingLogin): Promise<LoginOutcome>;
}

export function createLoginQueue(now: () => number): LoginQueue {
  const trusted: Entry[] = [];
  const names = new Map<string, Map<string, Entry[]>>();
  const failures = new Map<string, Failures>();
  let isComparing = false;
  let timer: NodeJS.Timeout | undefined;

  const keyOf = (name: string, address: string) => `${name}\0${address}`;
  const delayedUntilMs = (name: string, address: string): number => {
    const found = failures.get(keyOf(name, address));
    if (found === undefined || now() - found.lastMs > FORGET_FAILURES_MS || found.count < FREE_FAILURES) return 0;
    return found.lastMs + Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (found.count - FREE_FAILURES));
  };
  const note = ({ name, address, isTrusted }: WaitingLogin, isRight: boolean) => {
    // A runner that logs in every minute does not prove that no other program tries passwords from its address.
    if (isTrusted && isRight) return;
    const key = keyOf(name, address);
    const before = failures.get(key);
    failures.delete(key);
    if (isRight) return;
    const count = before === undefined || now() - before.lastMs > FORGET_FAILURES_MS ? 0 : before.count;
    if (failures.size >= REMEMBERED_FAILURES) failures.delete(failures.keys().next().value as string);
    failures.set(key, { count: count + 1, lastMs: now() });
  };

  const queues = () => [...names.values()].flatMap((addresses) => [...addresses.values()]);
  const dropGone = (queue: Entry[]) => {
    const left = queue.filter(({ login, settle }) => {
      if (!login.isGone()) return true;
      settle('gone');
      return false;
    });
    queue.length = 0;
    for (const each of left) queue.push(each);
  };
  const makeRoom = (mine: Entry[]) => {
    if (queues().reduce((sum, queue) => sum + queue.length, 0) < WAITING_TOTAL) return;
    for (const queue of queues()) dropGone(queue);
    const all = queues();
    if (all.reduce((sum, queue) => sum + queue.length, 0) < WAITING_TOTAL) return;
    const longest = all.reduce((found, queue) => (queue.length > found.length ? queue : found), mine);
    const refusal = new Refusal('LOGIN_BUSY', `${WAITING_TOTAL} logins wait to be checked`, retryAfter(5_000));
    if (longest === mine) throw refusal;
    longest.pop()?.refuse(refusal);
  };

  /** The next login, of the name and address that were served longest ago. */
  const take = (): Entry | undefined => {
    dropGone(trusted);
    const first = trusted.shift();
    if (first !== undefined) return first;
    for (const [name, addresses] of names) {
      for (const [address, queue] of addresses) {
        dropGone(queue);
        if (queue.length > 0 && delayedUntilMs(name, address) > now()) continue;
        const entry = queue.shift();
        addresses.delete(address);
        if (queue.length > 0) addresses.set(address, queue);
        if (entry === undefined) continue;
        names.delete(name);
        if (addresses.size > 0) names.set(name, addresses);
        return entry;
      }
      if (addresses.size === 0) names.delete(name);
    }
    return undefined;
  };

  const wakeLater = () => {
    const times = [...names].flatMap(([name, addresses]) =>
      [...addresses.keys()].map((address) => delayedUntilMs(name, address)),
    );
    if (times.length === 0) return;
    timer = setTimeout(next, Math.max(1, smallest(times) - now()));
    timer.unref();
  };

  const next = (): void => {
    clearTimeout(timer);
    if (isComparing) return;
    const entry = take();
    if (entry === undefined) {
      wakeLater();
      return;
    }
    isComparing = true;
    const compared = entry.login.compare();
    entry.settle(compared);
    compared
      .then(
        (isRight) => note(entry.login, isRight),
        () => {},
      )
      .finally(() => {
        isComparing = false;
        next();
      });
  };

  const wait = (queue: Entry[], login: WaitingLogin) =>
    new Promise<LoginOutcome>((resolve, reject) => {
      const settle = (outcome: Promise<boolean> | LoginOutcome) => {
        if (typeof outcome === 'string') resolve(outcome);
        else outcome.then((isRight) => resolve(isRight ? 'right' : 'wrong'), reject);
      };
      queue.push({ login, settle, refuse: reject });
      next();
    });

  return {
    async ask(login) {
      if (login.isTrusted) return wait(trusted, login);
      const { name, address } = login;
      const addresses = names.get(name) ?? new Map<string, Entry[]>();
      const queue = addresses.get(address) ?? [];
      dropGone(queue);
      const delayMs = delayedUntilMs(name, address) - now();
      if (queue.length >= (delayMs > 0 ? WAITING_DELAYED : WAITING_EACH)) {
        throw new Refusal(
          'LOGIN_THROTTLED',
          `${queue.length} logins as '${name}' from this address wait to be checked${delayMs > 0 ? ', after several wrong passwords' : ''}`,
          retryAfter(Math.max(delayMs, 1_000)),
        );
      }
      makeRoom(queue);
      addresses.set(address, queue);
      names.set(name, addresses);
      return wait(queue, login);
    },
  };
}

const retryAfter = (ms: number) => ({ retry_after_seconds: Math.ceil(ms / 1_000) });
