import { isAcceptable, readSpec } from '../read/read.ts';
import { writeKdl } from '../text/kdl-text.ts';
import { plainJson, type Value } from '../text/value.ts';
import { writeText } from '../text/write-text.ts';
import { diffPlan } from '../update/diff.ts';
import type { StoredPlan } from '../update/stored.ts';
import { inFile } from './in-file.ts';
import { specOfStored } from './spec-of-stored.ts';
import { withAdditionsOf } from './with-additions.ts';

export interface StoredFileText {
  readonly text: string;
  /** What the file does not say, or says in another way, each as a sentence for people. */
  readonly notes: readonly string[];
  /** Why the text is not a file that can be read; empty for one that can. */
  readonly errors: readonly string[];
}

/** Differences that are named one by one. */
const SHOWN = 5;

/**
 * The workflow file of a stored workflow.
 *
 * The text is read again and compared as for an update, so what it does not carry over is known and named, whatever the reason.
 */
export function writeStored(stored: StoredPlan, format: 'yaml' | 'kdl'): StoredFileText {
  const { stored: sayable, notes } = inFile(stored);
  const leftOut: string[] = [];
  const plain = specOfStored(sayable) as { readonly [key: string]: Value };
  const spec = (format === 'yaml' ? withAdditionsOf(plain) : plain) as typeof plain;
  const text = format === 'yaml' ? writeText(spec, 'yaml', true) : writeKdl(spec, (place) => leftOut.push(place));
  const reading = readSpec({ text, name: `the ${format.toUpperCase()} text`, format }, { readFile: readNothing });
  const errors = reading.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  if (reading.plan === undefined || !isAcceptable(reading)) return { text, notes, errors };
  const { metadata } = spec;
  const expected = {
    ...sayable,
    workflow: { ...sayable.workflow, metadata: metadata === undefined ? null : (plainJson(metadata) as object) },
  } as StoredPlan;
  const { jobs, records } = diffPlan(reading.plan, expected);
  const differences = [
    ...records
      .filter(({ kind, of }) => kind !== 'removed' || of !== 'resource_requirements')
      .map(({ of, name }) => `${of.replaceAll('_', ' ')}: ${name}`),
    ...jobs.map(
      ({ name, changes }) =>
        `job ${name}${changes.length === 0 ? '' : `: ${changes.map(({ field }) => field).join(', ')}`}`,
    ),
  ];
  return {
    text,
    notes: [
      ...notes,
      ...leftOut.map((place) => `${place}: KDL files cannot say it`),
      ...differences.slice(0, SHOWN),
      ...(differences.length > SHOWN ? [`… and ${differences.length - SHOWN} more`] : []),
    ],
    errors: [],
  };
}

function readNothing(): never {
  throw new Error('an exported workflow names no tables');
}
