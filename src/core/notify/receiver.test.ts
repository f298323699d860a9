import { describe, expect, it } from 'vitest';
import { receiverOf, receiverOfUrl } from './receiver.ts';
import { pauseBefore, outcomeOfStatus } from './retry.ts';
import { chosenTriggers } from './triggers.ts';

describe('a receiver', () => {
  it.each([
    [{ webhook: 'https://hooks.example.org/x' }, 'webhook'],
    [{ ntfy: 'https://ntfy.sh/torc' }, 'ntfy'],
    [{ slack: 'env:SLACK' }, 'slack'],
    [{ matrix: 'https://matrix.example.org/!room:example.org' }, 'matrix'],
    [{ mail: ['ada@example.org'], smtp: 'smtps://ada@mail.example.org:465' }, 'mail'],
    [{ mail: ['ada@example.org', 'bob@example.org'] }, 'sendmail'],
    [{ desktop: true }, 'desktop'],
    [{ command: ['logger', '-t', 'torc'] }, 'command'],
    [{ apprise: 'pover://user@token' }, 'apprise'],
  ])('a receiver has the kind of its address: %j', (table, kind) => {
    expect(receiverOf('ops', table)).toMatchObject({ name: 'ops', kind });
  });

  it.each([
    [{}, 'expected one of webhook,'],
    [{ webhook: 'https://x.org/', ntfy: 'https://ntfy.sh/t' }, 'found webhook and ntfy'],
    [{ webhook: 'ftp://x.org' }, 'webhook: expected a URL'],
    [{ ntfy: 'https://ntfy.sh' }, 'ntfy: expected the URL of a topic'],
    [{ matrix: 'https://matrix.example.org/room' }, 'matrix: expected the URL of a room'],
    [{ mail: ['ada@example.org\r\nBcc: eve@example.org'] }, 'expected addresses'],
    [{ mail: ['-oQ/tmp@x y'] }, 'expected addresses'],
    [{ mail: ['ada@example.org'], smtp: 'mail.example.org' }, 'smtp: expected'],
    [{ command: [] }, 'command: expected a program'],
    [{ desktop: true, on: ['ENDE'] }, 'found "ENDE"'],
    [{ desktop: true, on: ['ARRAY_TASKS'] }, 'a message for each job'],
  ])('a receiver that nothing can be sent to is refused: %j', (table, words) => {
    expect(receiverOf('ops', table)).toContain(words);
    expect(receiverOf('a name', { desktop: true })).toContain('its name');
  });

  it('a URL of a command is a receiver, with other schemes than ours for Apprise; a name is none', () => {
    const kinds = [
      ['https://example.org/hook', 'webhook'],
      ['https://ntfy.sh/topic', 'ntfy'],
      ['ntfy://topic', 'ntfy'],
      ['ntfy://ntfy.example.org/topic', 'ntfy'],
      ['https://hooks.slack.com/services/x', 'slack'],
      ['mailto:ada@example.org', 'sendmail'],
      ['desktop:', 'desktop'],
      ['tgram://token/chat', 'apprise'],
    ] as const;
    for (const [url, kind] of kinds) expect(receiverOfUrl(url), url).toMatchObject({ kind });
    expect(receiverOfUrl('ops')).toBeUndefined();
    expect(receiverOfUrl('https:')).toContain('expected a URL');
  });
});

describe('what a receiver wants to hear of', () => {
  it('words of sbatch mean what they mean there, for the whole workflow', () => {
    expect(chosenTriggers(['END'])).toEqual({ on: ['end'], endsOnlyBad: false, timePercent: undefined });
    expect(chosenTriggers(['FAIL'])).toMatchObject({ endsOnlyBad: true });
    expect(chosenTriggers(['end', 'FAIL'])).toMatchObject({ endsOnlyBad: false });
    expect(chosenTriggers(['ALL'])).toMatchObject({ endsOnlyBad: false });
    expect(chosenTriggers(['TIME_LIMIT_90', 'TIME_LIMIT_50'])).toMatchObject({ on: ['time'], timePercent: 50 });
    expect(chosenTriggers(['NONE'])).toMatchObject({ on: [] });
  });
});

describe('another attempt', () => {
  it('an attempt that failed is repeated after growing pauses, for a day; the receiver may ask for longer ones', () => {
    const later = { kind: 'later', why: 'status 500' } as const;
    expect([1, 2, 3, 9].map((attempts) => pauseBefore(attempts, 0, later))).toEqual([5_000, 20_000, 80_000, 3_600_000]);
    expect(pauseBefore(1, 0, { ...later, afterMs: 60_000 })).toBe(60_000);
    expect(pauseBefore(1, 0, { ...later, afterMs: 1e12 })).toBe(3_600_000);
    expect(pauseBefore(9, 86_400_000, later)).toBeUndefined();
    expect(pauseBefore(1, 0, { kind: 'never', why: 'status 404' })).toBeUndefined();
  });

  it('a failure that may pass is repeated, a refusal and a redirect are not', () => {
    expect(outcomeOfStatus(204, undefined).kind).toBe('sent');
    for (const status of [408, 425, 429, 500, 503])
      expect(outcomeOfStatus(status, '7')).toMatchObject({ kind: 'later', afterMs: 7_000 });
    for (const status of [301, 302, 307, 400, 401, 404, 410])
      expect(outcomeOfStatus(status, undefined).kind).toBe('never');
  });
});
