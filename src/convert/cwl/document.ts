import { type Cwl, type CwlMap, entriesOf, isCwlList, isCwlMap, Unsupported, nameIn } from './value.ts';

/** A process: a tool or a workflow, with the file that it stands in. */
export interface Process {
  readonly path: string;
  readonly body: CwlMap;
  /** The documents that run this one, outermost first, and itself: a document that runs itself has no end. */
  readonly above: readonly string[];
}

/** Reads a file as JSON or YAML. Throws what reading it throws. */
export type ReadDocument = (path: string) => Cwl;

const CLASSES: ReadonlySet<unknown> = new Set(['CommandLineTool', 'Workflow', 'ExpressionTool', 'Operation']);

/** The process that `run` names: `tool.cwl`, `tool.cwl#main`, `#main`, or itself. Throws `Unsupported`. */
export function processAt(run: Cwl, { path: from, above }: Omit<Process, 'body'>, read: ReadDocument): Process {
  if (isCwlMap(run)) return checked(run, from, above);
  const [file = '', name] = nameIn(run).split('#') as [string?, string?];
  const path = file === '' ? from : besides(from, file);
  const place = `${path}#${name ?? 'main'}`;
  if (above.includes(place)) throw new Unsupported(`${nameIn(run)} runs itself`);
  const found = read(path);
  const document = isCwlMap(found) ? found : {};
  const graph = document['$graph'] ?? (isCwlList(found) ? found : undefined);
  if (!isCwlList(graph)) return checked(document, path, [...above, place]);
  const wanted = (name ?? 'main').replace(/^.*\//, '');
  const of = graph.find((each) => isCwlMap(each) && nameIn(each['id']).replace(/^.*[#/]/, '') === wanted);
  if (!isCwlMap(of)) throw new Unsupported(`${path} has no process named ${wanted}`);
  return checked(of, path, [...above, place]);
}

function checked(body: CwlMap, path: string, above: readonly string[]): Process {
  if (!CLASSES.has(body['class'])) throw new Unsupported(`${path} is no process of CWL: it has no class that is one`);
  return { path, body, above };
}

/** The path of a file that another names relative to itself. */
export function besides(from: string, file: string): string {
  const wanted = file.replace(/^file:\/\//, '');
  if (/^\w+:\/\//.test(wanted)) throw new Unsupported(`${wanted}: only files of this machine are read`);
  if (wanted.startsWith('/')) return wanted;
  const folder = from.replace(/[^/]*$/, '');
  const parts: string[] = [];
  for (const part of (folder + wanted).split('/')) {
    if (part === '.' || (part === '' && parts.length > 0)) continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/') || '.';
}

/** What a process requires and what it only hints at, by class; those of a step and of workflows above it count too. */
export interface Needs {
  readonly required: ReadonlyMap<string, CwlMap>;
  readonly hinted: ReadonlyMap<string, CwlMap>;
}

export const NO_NEEDS: Needs = { required: new Map(), hinted: new Map() };

/** Nearer ones win, and a requirement wins over a hint. */
export const needsOf = (body: CwlMap, above: Needs): Needs => ({
  required: new Map([...above.required, ...byClass(body['requirements'])]),
  hinted: new Map([...above.hinted, ...byClass(body['hints'])]),
});

const byClass = (given: Cwl | undefined) =>
  entriesOf(given, 'class', 'class').map(
    ([name, each]) => [nameIn(each['class'] ?? name).replace(/^.*#/, ''), each] as const,
  );

export const needed = ({ required, hinted }: Needs, name: string): CwlMap | undefined =>
  required.get(name) ?? hinted.get(name);
