import { Refusal } from '../../contract/refusals.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import { projected, type ValueGroup } from '../glob/groups.ts';
import { sequence, type Sequence } from '../../lists/sequence.ts';
import { UNREAD } from '../shape/check.ts';
import type { WorkflowSpec } from '../shape/workflow.ts';
import { bracesIn } from '../shape/wrong-type.ts';
import { templateNames } from '../text/template-names.ts';
import { compactJson, isMap, type Value } from '../text/value.ts';
import { combine, unevenPair, type Axes, type Axis } from './axes.ts';
import { SpecFamilies } from './family.ts';
import type { ParameterValue } from './parameter-value.ts';
import { nativeValues, readValues } from './parameter-values.ts';
import type { ParameterTable } from './parameter-table.ts';
import type { Tables } from './tables.ts';
import { templateOf } from './template.ts';

/** The fields of a job, a file and a record of user data about their instances. */
interface Parameterized {
  readonly name?: string;
  readonly parameters?: Readonly<Record<string, Value>>;
  readonly parameter_mode?: string;
  readonly use_parameters?: readonly string[];
  readonly parameters_file?: string;
  readonly use_parameters_file?: boolean;
}

export interface ExpandOptions {
  readonly readFile: (path: string) => string;
  readonly tables: Tables;
  /** Parameters of the workflow whose values stand together. */
  readonly groups: readonly ValueGroup[];
  /** The maximum number of instances of jobs, of files and of user data. */
  readonly limit: number;
}

/** The name of a kind of record in Torc's sentences. */
const WORDS = {
  jobs: { what: 'job', label: 'Job' },
  files: { what: 'file', label: 'File' },
  user_data: { what: 'user data', label: 'User data' },
} as const;

export type Collection = keyof typeof WORDS;

/** Expands the records of a workflow; a record that cannot be expanded is reported, and its name stored as lost. */
export class Expander {
  readonly lost = new Map<Collection, string[]>();
  private readonly values = new Map<string, Omit<Axis, 'name'>>();
  private readonly shared = new Map<string, Axis | undefined>();
  private readonly spec: WorkflowSpec;
  private readonly options: ExpandOptions;
  private readonly complain: Complain;

  constructor(spec: WorkflowSpec, options: ExpandOptions, complain: Complain) {
    this.spec = spec;
    this.options = options;
    this.complain = complain;
    if (spec.parameters === undefined || spec.parameters_file === undefined) return;
    complain({
      code: 'PARAMETERS_CONFLICT',
      message: 'Workflow-level `parameters` and `parameters_file` are mutually exclusive; use one of them',
      path: ['parameters_file'],
      atKey: true,
    });
  }

  /** The instances of one list of records. A record that cannot be expanded has none. */
  families<S extends Parameterized>(collection: Collection, specs: readonly S[]): SpecFamilies<S> {
    let total = 0;
    const expansions = specs.map((spec, index) => {
      const path: ValuePath = [collection, index];
      const expansion = this.expansion(collection, spec, path);
      if (expansion === undefined) this.lose(collection, spec);
      const count = expansion?.axes?.count ?? (expansion === undefined ? 0 : 1);
      const room = this.options.limit - total;
      if (count > room) {
        this.lose(collection, spec);
        this.tooLarge(collection, spec, path, count, total);
        return { axes: expansion?.axes, count: 0 };
      }
      total += count;
      return { axes: expansion?.axes, count };
    });
    return new SpecFamilies(specs, (spec) => spec.name ?? UNREAD, expansions);
  }

  private lose(collection: Collection, { name = '' }: Parameterized): void {
    const names = this.lost.get(collection) ?? [];
    names.push(name);
    this.lost.set(collection, names);
  }

  /**
   * The workflow's environment with the workflow's parameters inserted: a parameter of one value by that value, every
   * other by its text in the file. A text that is not a range, such as `docker://image`, is therefore never refused
   * here; a job that expands by it is.
   */
  environment(): Readonly<Record<string, string>> | undefined {
    const { env, parameters } = this.spec;
    if (env === undefined || parameters === undefined) return env;
    const used = Object.entries(parameters).filter(([name]) =>
      Object.values(env).some((text) => text.includes(`{${name}`)),
    );
    const axes = combine(
      used.map(([name, value]) => ({ name, values: this.oneValue(value) })),
      'product',
    );
    return Object.fromEntries(Object.entries(env).map(([key, text]) => [key, templateOf(text, axes).render(0)]));
  }

  private oneValue(value: Value): Sequence<ParameterValue> {
    const raw = typeof value === 'string' ? value : compactJson(value);
    let values: Sequence<ParameterValue> | undefined;
    try {
      // Two values are enough to know that there is more than one.
      values = nativeValues(value, { ...this.options, limit: 2 });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
    }
    return values?.length === 1 ? values : sequence(1, () => raw);
  }

  private expansion(
    collection: Collection,
    spec: Parameterized,
    path: ValuePath,
  ): { readonly axes: Axes | undefined } | undefined {
    const wantsTable = spec.parameters_file !== undefined || spec.use_parameters_file === true;
    if (wantsTable) return this.tableExpansion(collection, spec, path);
    const what = wordsBefore(collection, spec);
    const axes =
      spec.parameters === undefined
        ? this.sharedAxes(spec.use_parameters ?? this.namedIn(spec), what)
        : Object.entries(spec.parameters).map(([name, value]) =>
            this.axis(name, value, [...path, 'parameters', name], what),
          );
    if (axes === undefined) return { axes: undefined };
    const whole = axes.filter((axis) => axis !== undefined);
    if (whole.length < axes.length) return undefined;
    if (spec.parameter_mode !== 'zip') return { axes: combine(whole, 'product') };
    const uneven = unevenPair(whole);
    if (uneven === undefined) return { axes: combine(whole, 'zip') };
    const [one, other] = uneven;
    this.complain({
      code: 'PARAMETER_MALFORMED',
      message:
        `${what}All parameters must have the same number of values when using 'zip' mode. Parameter '${one.name}' ` +
        `has ${one.values.length} values, but '${other.name}' has ${other.values.length} values.`,
      path: [...path, 'parameter_mode'],
    });
    return undefined;
  }

  private tableExpansion(
    collection: Collection,
    spec: Parameterized,
    path: ValuePath,
  ): { readonly axes: Axes } | undefined {
    const who = `${WORDS[collection].label} '${spec.name ?? ''}'`;
    const refuse = (message: string, field: string): undefined => {
      this.complain({
        code: 'PARAMETERS_CONFLICT',
        message: `${who}: ${message}`,
        path: [...path, field],
        atKey: true,
      });
    };
    const other = (['parameters', 'parameter_mode', 'use_parameters'] as const).find(
      (name) => spec[name] !== undefined,
    );
    if (other !== undefined) {
      const group = 'a CSV/JSON parameter table (`parameters_file`/`use_parameters_file`)';
      return refuse(
        `${group} cannot be combined with \`parameters\`, \`parameter_mode\`, or \`use_parameters\``,
        other,
      );
    }
    const [local, shared] = [spec.parameters_file, this.spec.parameters_file];
    if (local !== undefined && spec.use_parameters_file === true) {
      return refuse(
        'set either a local `parameters_file` or `use_parameters_file: true`, not both',
        'use_parameters_file',
      );
    }
    const file = local ?? shared;
    if (file === undefined) {
      return refuse('`use_parameters_file` requires a workflow-level `parameters_file`', 'use_parameters_file');
    }
    const at = local === undefined ? ['parameters_file'] : [...path, 'parameters_file'];
    const table = this.options.tables.get(file, at, wordsBefore(collection, spec));
    return table === undefined ? undefined : { axes: tableAxes(table) };
  }

  /** The parameters of the workflow that an entry names anywhere, in their order, if the file says that all are used. */
  private namedIn(spec: Parameterized): string[] {
    if (this.spec.use_parameters !== 'all') return [];
    const named = new Set(namesIn(spec));
    return Object.keys(this.spec.parameters ?? {}).filter((name) => named.has(name));
  }

  /** Axes of the workflow, by the names that a record selects; unknown names are ignored, as in Torc. */
  private sharedAxes(names: readonly string[], what: string): (Axis | undefined)[] | undefined {
    const parameters = this.spec.parameters ?? {};
    const known = [...new Set(names)].filter((name) => Object.hasOwn(parameters, name));
    if (known.length === 0) return undefined;
    const together = this.options.groups.flatMap((group) => groupAxes(group, known));
    return known.map((name) => together.find((axis) => axis.name === name) ?? this.sharedAxis(name, what));
  }

  private sharedAxis(name: string, what: string): Axis | undefined {
    if (this.shared.has(name)) return this.shared.get(name);
    const axis = this.axis(name, this.spec.parameters?.[name] ?? null, ['parameters', name], what);
    this.shared.set(name, axis);
    return axis;
  }

  private axis(name: string, value: Value, path: ValuePath, what: string): Axis | undefined {
    const { readFile, limit } = this.options;
    try {
      const known = typeof value === 'string' ? this.values.get(value) : undefined;
      const read = known ?? readValues(value, { readFile, limit });
      if (typeof value === 'string') this.values.set(value, read);
      return { name, ...read };
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const code = cause.code === 'EXPANSION_TOO_LARGE' ? 'EXPANSION_TOO_LARGE' : 'PARAMETER_MALFORMED';
      const plain = valueAdvice(value, cause);
      this.complain({ code, message: `${what}${cause.message}`, path, ...(plain === undefined ? {} : { plain }) });
      return undefined;
    }
  }

  private tooLarge(collection: Collection, spec: Parameterized, path: ValuePath, count: number, total: number): void {
    const { limit } = this.options;
    const beside = total === 0 ? '' : ` beside ${total} others`;
    this.complain({
      code: 'EXPANSION_TOO_LARGE',
      message: `${wordsBefore(collection, spec)}${count} instances${beside} are more than the limit of ${limit}`,
      path,
      found: String(count),
      allowed: [`at most ${limit}`],
    });
  }
}

function* namesIn(value: unknown): Generator<string> {
  if (typeof value === 'string') for (const { name } of templateNames(value)) yield name;
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* namesIn(each);
}

/** What to write where a value of a parameter is not read. */
function valueAdvice(value: Value, { facts }: Refusal): string | undefined {
  if (isMap(value)) {
    const inner = bracesIn(value);
    return `a parameter is a text, a number or a list; YAML reads braces as a map${inner === undefined ? '' : `: write "${inner}"`}`;
  }
  if (typeof value !== 'string' || facts['isNoRange'] !== true) return undefined;
  return `"${value}" is no range of numbers such as 1:10 or 0:1:0.1; a text with a colon goes into a list: "['${value}']"`;
}

/** Axes of the parameters of a group that a record selects: their combinations, each once. */
function groupAxes(group: ValueGroup, selected: readonly string[]): Axis[] {
  const names = group.parameters.filter((name) => selected.includes(name));
  if (names.length < 2) return [];
  const rows = projected(group, names);
  return names.map((name, at) => ({
    name,
    values: sequence(rows.length, (index) => rows[index]?.[at] as string),
    bundle: group,
  }));
}

const wordsBefore = (collection: Collection, spec: Parameterized): string =>
  `Failed to expand ${WORDS[collection].what} '${spec.name ?? ''}': `;

function tableAxes({ columns, rows, rewritten }: ParameterTable): Axes {
  const axes = [...columns].map(([name, cells]) => ({
    name,
    stride: 1,
    rewritten: rewritten.get(name),
    values: { length: rows, at: (index: number) => cells[index] },
  }));
  return { count: rows, axes };
}
