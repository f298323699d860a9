import { after } from '../client/long-timers.ts';

/** Calls at a moment (Unix milliseconds), however far away. */
export const atMoment = (atMs: number, call: () => void): { cancel(): void } => after(atMs - Date.now(), call);
