/** What became of one attempt at a message. `why` has a status or the code of an error, and no address. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  /** It may succeed later, at the earliest after this time where the receiver said so. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs?: number | undefined }
  | { readonly kind: 'never'; readonly why: string };

/** A receiver that is restarted is back within minutes; one that is away for a day gets no old news. */
const [FIRST_MS, FACTOR, LONGEST_MS, GIVEN_UP_MS] = [5_000, 4, 3_600_000, 86_400_000];

/** Milliseconds until the next attempt; undefined where it is given up. `ageMs`: since the message was due. */
export function pauseBefore(attempts: number, ageMs: number, outcome: SendOutcome): number | undefined {
  if (outcome.kind !== 'later' || ageMs >= GIVEN_UP_MS) return undefined;
  const own = Math.min(LONGEST_MS, FIRST_MS * FACTOR ** Math.max(0, attempts - 1));
  return Math.min(LONGEST_MS, Math.max(own, outcome.afterMs ?? 0));
}

/** What an answer by HTTP means. Redirects are not followed: the body would go to a host that the user did not name. */
export function outcomeOfStatus(status: number, retryAfter: string | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status >= 300 && status < 400)
    return {
      kind: 'never',
      why: `status ${status}: it redirects, which is not followed; name the address that it redirects to`,
    };
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  if (!isPassing) return { kind: 'never', why: `status ${status}` };
  const seconds = Number(retryAfter);
  const afterMs = retryAfter !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  return { kind: 'later', why: `status ${status}`, afterMs };
}
