/** Says what is waited for, and for how long: a person takes a command that says nothing for a dead one. */
export type OnSlow = (words: string) => void;

/** Sooner, and a controller that is only busy is talked about; later, and people press Ctrl-C. */
const SLOW_MS = 5_000;

/** Waits for the answer of a program that is killed at its time limit. */
export async function saidIfSlow<Answer>(
  answer: Promise<Answer>,
  {
    program,
    atMostMs,
    onSlow,
  }: { readonly program: string; readonly atMostMs: number; readonly onSlow?: OnSlow | undefined },
): Promise<Answer> {
  if (onSlow === undefined || atMostMs <= SLOW_MS) return answer;
  const seconds = (atMostMs - SLOW_MS) / 1000;
  const words = `${program} has not answered for ${SLOW_MS / 1000} s; waiting for it up to ${seconds} s more`;
  const timer = setTimeout(() => onSlow(words), SLOW_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
