import { type Directive, type ReadSubmitOptions, wordSet } from '../array/script.ts';

/** Short options of sbatch(1) by their letter. */
const LONG: Readonly<Record<string, string>> = {
  A: 'account',
  a: 'array',
  b: 'begin',
  B: 'extra-node-info',
  C: 'constraint',
  c: 'cpus-per-task',
  D: 'chdir',
  d: 'dependency',
  e: 'error',
  F: 'nodefile',
  G: 'gpus',
  H: 'hold',
  i: 'input',
  J: 'job-name',
  k: 'no-kill',
  L: 'licenses',
  M: 'clusters',
  m: 'distribution',
  N: 'nodes',
  n: 'ntasks',
  O: 'overcommit',
  o: 'output',
  p: 'partition',
  q: 'qos',
  Q: 'quiet',
  S: 'core-spec',
  s: 'oversubscribe',
  t: 'time',
  v: 'verbose',
  w: 'nodelist',
  W: 'wait',
  x: 'exclude',
};

/** Options that never have a value in the next word. */
const FLAGS = wordSet(`
  contiguous exclusive hold ignore-pbs no-kill no-requeue overcommit oversubscribe parsable quiet
  reboot requeue spread-job test-only use-min-nodes verbose wait
`);

/** Options of sbatch(1). */
export const readSbatchOptions: ReadSubmitOptions = (words, line, endsAtWord = false) => {
  const found: Directive[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (endsAtWord && !word.startsWith('-')) return { directives: found, rest: words.slice(at) };
    const long = /^--([\w-]+)(?:=(.*))?$/s.exec(word);
    const short = /^-([A-Za-z])=?(.*)$/s.exec(word);
    const name = long?.[1] ?? LONG[short?.[1] ?? ''] ?? word;
    let value = long === null ? short?.[2] || undefined : long[2];
    const next = words[at + 1];
    if (value === undefined && !FLAGS.has(name) && next !== undefined && !next.startsWith('-')) {
      value = next;
      at += 1;
    }
    found.push({ name, value, line });
  }
  return { directives: found, rest: [] };
};
