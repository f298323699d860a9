/**
 * How envelopes are written where the programs of the field differ from the text of the format. Each switch has our
 * choice first; `--compat NAME=CHOICE,…` selects another, and `--compat text` follows the text in everything.
 */
export const compatSwitches = {
  /** All producers in use write `job`; the text says `jobs`. */
  tag: ['job', 'jobs'],
  /** Python 3.10 and importers written for it refuse `Z`. */
  zone: ['offset', 'z'],
  /** Every reader in use takes `time_limit` as seconds; the text says minutes. */
  'time-limit': ['seconds', 'minutes'],
  /** The text adds 2 to a performance state; Sonar adds 1. */
  'performance-state': ['text', 'sonar'],
  /** `AveDiskRead` and `AveDiskWrite`: consumers expect KB; the text says bytes. */
  'ave-disk': ['kb', 'bytes'],
  /** `CANCELLED by 1000`: the first word of a state, or all of it. */
  state: ['word', 'full'],
  /** slurm-monitor drops a message whose `meta` has more than producer and version. */
  meta: ['two', 'all'],
  /** The text has versions of software; Sonar removed them in 0.16, and its strict reader refuses a record that has them. */
  software: ['left-out', 'written'],
} as const;

type Switches = typeof compatSwitches;
export type Compat = { readonly [Name in keyof Switches]: Switches[Name][number] };

/** What our producers write. */
export const usualCompat: Compat = {
  tag: 'job',
  zone: 'offset',
  'time-limit': 'seconds',
  'performance-state': 'text',
  'ave-disk': 'kb',
  state: 'word',
  meta: 'two',
  software: 'left-out',
};

/** Values as they are: for envelopes that were read and are written again. */
export const unchangedCompat: Compat = { ...usualCompat, state: 'full', meta: 'all', software: 'written' };

const textCompat: Compat = {
  ...usualCompat,
  tag: 'jobs',
  'time-limit': 'minutes',
  'ave-disk': 'bytes',
  meta: 'all',
  software: 'written',
};

/** The choices of `--compat`, or a sentence that says what is wrong. */
export function parseCompat(text: string): Compat | string {
  let chosen: Record<string, string> = { ...usualCompat };
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === 'text') {
      chosen = { ...textCompat };
      continue;
    }
    const [name = '', choice = ''] = part.split('=');
    const choices: readonly string[] | undefined = Object.hasOwn(compatSwitches, name)
      ? compatSwitches[name as keyof Switches]
      : undefined;
    if (choices === undefined)
      return `unknown switch "${name}": expected text, or one of ${Object.keys(compatSwitches).join(', ')} with =CHOICE`;
    if (!choices.includes(choice)) return `${name}: expected ${choices.join(' or ')}, found "${choice}"`;
    chosen[name] = choice;
  }
  return chosen as unknown as Compat;
}
