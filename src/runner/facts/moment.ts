import { after } from '../../client/long-timers.ts';

/** Calls the function at a moment (Unix milliseconds), however far away. */
export const atMoment = (atMs: number, call: () => void): { cancel(): void } => after(atMs - Date.now(), call);
