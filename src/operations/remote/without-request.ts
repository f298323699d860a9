import type { HostRequest } from '../../core/remote/remote-host.ts';

/** As long as this, and a part of a password is no chance. */
const PART = 6;
/** A key of every request: whatever repeats a request has it. */
const KEY = 'workflow_id';

/**
 * What a host printed, but for lines that repeat a request or a part of its secrets.
 *
 * Only torc gets the request, when it has said that it is ready. But what stands for torc may be a script that shows its input.
 */
export function withoutRequest(text: string, request: HostRequest): string {
  const { password, cookie } = 'service' in request ? request.service : {};
  const parts = [password, cookie].flatMap((secret) => partsOf(secret ?? ''));
  const repeats = (line: string) => line.includes(KEY) || parts.some((part) => line.includes(part));
  return text
    .split('\n')
    .filter((line) => !repeats(line))
    .join('\n');
}

const partsOf = (secret: string): string[] =>
  secret.length <= PART
    ? [secret].filter((part) => part !== '')
    : Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART));
