import { HOST_PATH, hostPathOf } from './host-path.ts';
import { shellWords } from '../text/shell-words.ts';

/**
 * Hosts that are reached by ssh, one a line: `[user@]host[:port]`, and behind it options of the runner on that host.
 *
 * Words are separated by blanks; quotes keep blanks together. Blank lines and lines that begin with `#` are skipped. An IPv6 address with a port stands in brackets. A port that is
 * not a number belongs to the host, as in Torc.
 */
export interface Worker {
  /** The line without its comment, as it is stored on the server. */
  readonly text: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
  readonly options: WorkerOptions;
}

/** Options of a line. Without them the options of the command apply. */
interface WorkerOptions {
  readonly numCpus?: number;
  readonly memoryGb?: number;
  readonly numGpus?: number;
  readonly maxParallelJobs?: number;
  readonly labels?: readonly string[];
  /** The folder in which the jobs of this host start. */
  readonly workDir?: string;
  readonly outputDir?: string;
  /** The program on this host, if it is not on the PATH. */
  readonly torc?: string;
}

export interface WorkerProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** The hosts of a text, and what is wrong with its other lines. */
export function readWorkers(text: string): { workers: Worker[]; problems: WorkerProblem[] } {
  const workers: Worker[] = [];
  const problems: WorkerProblem[] = [];
  const hosts = new Map<string, number>();
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = index + 1;
    const content = withoutComment(raw);
    if (content === '') return;
    const found = workerOf(content);
    if (typeof found === 'string') {
      problems.push({ line, message: found });
      return;
    }
    const address = addressOf(found);
    const before = hosts.get(address);
    if (before !== undefined) {
      problems.push({ line, message: `Duplicate host '${address}': line ${before} has it, too` });
      return;
    }
    hosts.set(address, line);
    workers.push(found);
  });
  return { workers, problems };
}

/** A comment begins at a `#` behind a blank and outside of quotes. */
function withoutComment(line: string): string {
  const begins = [...line.matchAll(/(?<=^|\s)#/g)].map(({ index }) => index);
  return line
    .slice(
      0,
      begins.find((at) => shellWords(line.slice(0, at)) !== undefined),
    )
    .trim();
}

/** In the address of a host; `%` begins the interface of an IPv6 address in brackets. Anything else may mean something to a shell or to ssh. */
const STRANGE = /[^\w.\-:@[\]%]|%(?![^\]]*\])/u;

/** One host, or what is wrong with the text. */
export function workerOf(text: string): Worker | string {
  const [address = '', ...words] = shellWords(text) ?? [''];
  if (address === '') return `a quote is not closed in: ${text.trim()}`;
  const strange = STRANGE.exec(address)?.[0];
  if (strange !== undefined) return `'${address}' contains '${strange}': expected letters, digits and . _ - : @ [ ]`;
  const at = address.lastIndexOf('@');
  const user = at < 0 ? undefined : address.slice(0, at);
  if (user === '') return `Empty username before '@' in '${address}'`;
  const place = hostOf(address.slice(at + 1), address);
  if (typeof place === 'string') return place;
  if (address.startsWith('-') || place.host.startsWith('-')) return `'${address}' begins with '-', a host does not`;
  const options = optionsOf(words);
  if (typeof options === 'string') return options;
  return { text: text.trim(), user, ...place, options };
}

/** A host that is stored with a workflow, or what is wrong with its line: an older torc took other options. */
export function storedWorkerOf(text: string, workflowId: number): Worker | string {
  const worker = workerOf(text);
  const removal = `remove it: torc remote remove-worker '${text}' ${workflowId}`;
  return typeof worker === 'string' ? `the worker '${text}' of workflow ${workflowId}: ${worker}; ${removal}` : worker;
}

function hostOf(text: string, address: string): { host: string; port: number | undefined } | string {
  if (text.startsWith('[')) return bracketed(text);
  if (text === '') return `Empty hostname in '${address}'`;
  if (text.split(':').length > 2)
    return `IPv6 address '${text}' without brackets: its last part could be a port; write [${text}]`;
  const [, name = text, digits] = /^(.*):(\d+)$/.exec(text) ?? [];
  if (name === '') return `Empty hostname in '${address}'`;
  return withPort(name, digits);
}

function bracketed(text: string): { host: string; port: number | undefined } | string {
  const end = text.indexOf(']');
  if (end < 0) return `Unclosed bracket in '${text}'`;
  const host = text.slice(1, end);
  const rest = text.slice(end + 1);
  if (host === '') return `Empty hostname in '${text}'`;
  if (rest === '') return { host, port: undefined };
  const digits = /^:(\d+)$/.exec(rest)?.[1];
  return digits === undefined
    ? `Invalid format after IPv6 address in '${text}': expected :PORT`
    : withPort(host, digits);
}

function withPort(host: string, digits: string | undefined): { host: string; port: number | undefined } | string {
  if (digits === undefined) return { host, port: undefined };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : `Invalid port '${digits}': expected 1 to 65535`;
}

type Read = (value: string) => Partial<WorkerOptions> | undefined;

const whole =
  (name: 'numCpus' | 'numGpus' | 'maxParallelJobs', least: number): Read =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least ? { [name]: Number(value) } : undefined;

const path =
  (name: 'workDir' | 'outputDir' | 'torc'): Read =>
  (value) => {
    const found = hostPathOf(value);
    return found === undefined ? undefined : { [name]: found };
  };

/** Each option of a line: how its value is read, and what is expected. */
const readers: Readonly<Record<string, { readonly read: Read; readonly expected: string }>> = {
  '--num-cpus': { read: whole('numCpus', 1), expected: 'a whole number of 1 or more' },
  '--num-gpus': { read: whole('numGpus', 0), expected: 'a whole number of 0 or more' },
  '--max-parallel-jobs': { read: whole('maxParallelJobs', 1), expected: 'a whole number of 1 or more' },
  '--memory-gb': {
    read: (value) => (Number(value) > 0 && Number.isFinite(Number(value)) ? { memoryGb: Number(value) } : undefined),
    expected: 'a number above 0',
  },
  '--label': {
    read: (value) => ({ labels: value.split(',').filter((label) => label !== '') }),
    expected: 'labels separated by commas',
  },
  '--work-dir': { read: path('workDir'), expected: HOST_PATH },
  '--output-dir': { read: path('outputDir'), expected: HOST_PATH },
  '--torc': { read: path('torc'), expected: HOST_PATH },
};

function optionsOf(words: readonly string[]): WorkerOptions | string {
  const options: Record<string, unknown> = {};
  const rest = words.flatMap((word) => {
    const [, name = word, value] = /^(--[a-z-]+)=(.*)$/.exec(word) ?? [];
    return value === undefined ? [name] : [name, value];
  });
  for (let index = 0; index < rest.length; index += 2) {
    const name = rest[index] as string;
    const value = rest[index + 1];
    const reader = readers[name];
    if (reader === undefined)
      return `Unknown option '${name}' behind the host; known: ${Object.keys(readers).join(', ')}`;
    const read = value === undefined || value === '' ? undefined : reader.read(value);
    if (read === undefined)
      return `${name}: expected ${reader.expected}, found ${value === undefined ? 'nothing' : `'${value}'`}`;
    Object.assign(options, read);
  }
  return options;
}

/** Where a host is: two ports of one name are two hosts. */
export const addressOf = ({ host, port }: Pick<Worker, 'host' | 'port'>): string =>
  port === undefined ? host : `${host}:${port}`;

/** As people write it: `user@host:2222`. */
export const displayed = ({ user, host, port }: Worker): string => {
  const name = host.split(':').length > 2 ? `[${host}]` : host;
  return `${user === undefined ? '' : `${user}@`}${name}${port === undefined ? '' : `:${port}`}`;
};
