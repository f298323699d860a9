import { fileNames } from '../../job/fields.ts';
import { familyLimit } from '../../job/amounts.ts';
import type { Draft, Links } from '../link/draft.ts';
import type { SpecFamily } from '../expand/family.ts';
import { templateOf, type Template } from '../expand/template.ts';
import { itemsOf, type Lists } from '../../lists/int-list.ts';
import { withOwnPaths } from '../link/own-tokens.ts';
import { tokenParts, type TokenKind } from '../link/tokens.ts';
import type { Selections } from '../pattern/selection.ts';
import type { JobSpec } from '../shape/workflow.ts';
import { surroundingsScript } from '../surroundings/script.ts';
import { compactJson } from '../text/value.ts';
import type { PlannedSettings, PlannedJob, SettingName } from './plan.ts';
import { perFamily, type FileWriter, type UserDataWriter } from './records.ts';

/** Writes the jobs of a plan, one at a time, in any order. */
export class JobWriter {
  private readonly draft: Draft;
  private readonly links: Links;
  private readonly files: FileWriter;
  private readonly userData: UserDataWriter;
  private readonly templates = perFamily(templatesOf);
  private readonly resourceRequirements: Numbers;
  private readonly schedulers: Numbers;
  private readonly handlers: Numbers;

  constructor(draft: Draft, links: Links, files: FileWriter, userData: UserDataWriter) {
    this.draft = draft;
    this.links = links;
    this.files = files;
    this.userData = userData;
    this.resourceRequirements = numbersOf(draft.spec.resource_requirements);
    this.schedulers = numbersOf(draft.spec.slurm_schedulers);
    this.handlers = numbersOf(draft.spec.failure_handlers);
  }

  job(index: number): PlannedJob {
    const { jobs, files, userData } = this.draft;
    const { family, combination } = jobs.families.at(index);
    const { spec } = family;
    const texts = this.templates(family);
    const { dependsOn, inputFiles, outputFiles, inputUserData, outputUserData } = this.links;
    return {
      name: family.name.render(combination),
      command: this.text(texts.command, combination),
      invocationScript:
        (texts.script && this.text(texts.script, combination)) ??
        (texts.surroundings && this.surroundingsOf(family, texts.surroundings, { index, combination })),
      settings: texts.settings(combination),
      stdio: spec.stdio,
      resourceRequirements: numberIn(this.resourceRequirements, texts.requirements, combination),
      scheduler: numberIn(this.schedulers, texts.scheduler, combination),
      failureHandler: spec.failure_handler === undefined ? undefined : this.handlers.get(spec.failure_handler),
      dependsOn: unfolded(dependsOn, index, jobs.length, jobs.selections),
      inputFiles: unfolded(inputFiles, index, files.length, files.selections),
      outputFiles: unfolded(outputFiles, index, files.length, files.selections),
      inputUserData: unfolded(inputUserData, index, userData.length, userData.selections),
      outputUserData: unfolded(outputUserData, index, userData.length, userData.selections),
    };
  }

  private surroundingsOf(
    { spec }: SpecFamily<JobSpec>,
    { image, binds, conda, module }: SurroundingsTemplate,
    { index, combination }: { readonly index: number; readonly combination: number },
  ): string | undefined {
    const container = image && {
      image: image.render(combination),
      runtime: spec.container?.runtime ?? 'apptainer',
      binds: binds.map((each) => each.render(combination)),
      keepEntrypoint: spec.container?.keep_entrypoint,
    };
    const given = { container, conda: conda?.render(combination), module: module?.render(combination) };
    if (container === undefined) return surroundingsScript(given, { variables: [], folders: [] });
    const { files } = this.draft;
    const folders = new Set<string>();
    for (const lists of [this.links.inputFiles, this.links.outputFiles])
      for (const file of unfolded(lists, index, files.length, files.selections)) {
        const path = this.files.path(file);
        const end = path.lastIndexOf('/');
        if (path.startsWith('/') || path.split('/').includes('..')) folders.add(path.slice(0, Math.max(end, 1)));
      }
    const variables = Object.keys({ ...this.draft.spec.env, ...spec.env });
    return surroundingsScript(given, { variables, folders: [...folders].sort() });
  }

  private text(parts: Text, combination: number): string {
    let result = '';
    for (const part of parts) {
      if (!('name' in part)) result += part.render(combination);
      else {
        const name = part.name.render(combination);
        result += this.tokenText(part.kind, name) ?? `\${${part.kind}.${part.direction}.${name}}`;
      }
    }
    return result;
  }

  private tokenText(kind: TokenKind, name: string): string | undefined {
    const index = this.draft[kind === 'files' ? 'files' : 'userData'].index.find(name);
    if (index < 0) return undefined;
    if (kind === 'files') return this.files.path(index);
    const value = this.userData.value(index);
    return value === null ? undefined : compactJson(value);
  }
}

type Numbers = ReadonlyMap<string, number>;

/** A parsed command: texts, and tokens with the template of their name. */
type Text = readonly (Template | { readonly kind: TokenKind; readonly direction: string; readonly name: Template })[];

/** Stands for what replaces a token, which opens and closes no quotes. */
const REPLACED = 'x';

function templatesOf({ spec, axes }: SpecFamily<JobSpec>) {
  const text = (written: string): Text => {
    const own = withOwnPaths(written, { spec, axes });
    let before = '';
    return tokenParts(own.text).map((part) => {
      if (typeof part !== 'string') {
        before += REPLACED;
        return { ...part, name: templateOf(part.name, own.axes) };
      }
      const template = templateOf(part, own.axes, before);
      before += part;
      return template;
    });
  };
  const maybe = (written: string | undefined): Template | undefined =>
    written === undefined ? undefined : templateOf(written, axes);
  return {
    command: text(spec.command),
    script: spec.invocation_script === undefined ? undefined : text(spec.invocation_script),
    surroundings: surroundingsTemplate(spec, maybe),
    settings: settingsWriter(spec, axes),
    requirements: maybe(spec.resource_requirements),
    scheduler: maybe(spec.scheduler),
  };
}

type SurroundingsTemplate = NonNullable<ReturnType<typeof surroundingsTemplate>>;

function surroundingsTemplate({ container, conda, module }: JobSpec, maybe: (text?: string) => Template | undefined) {
  if (container === undefined && conda === undefined && module === undefined) return undefined;
  return {
    image: maybe(container?.image),
    binds: (container?.binds ?? []).map((each) => maybe(each) as Template),
    conda: maybe(conda),
    module: maybe(module),
  };
}

const settingNames = fileNames.filter(
  (name): name is SettingName => name !== 'name' && name !== 'command' && name !== 'invocation_script',
);

/** The settings of each job of a family: only texts that name parameters are written for each. */
function settingsWriter(spec: JobSpec, axes: SpecFamily<JobSpec>['axes']): (combination: number) => PlannedSettings {
  const fixed: Record<string, unknown> = {};
  const varying: [name: string, write: (combination: number) => unknown][] = [];
  for (const name of settingNames) {
    const value = name === 'licenses' ? licensesOf(spec) : spec[name];
    if (value === undefined) continue;
    fixed[name] = value;
    const write = valueWriter(value, axes);
    if (write !== undefined) varying.push([name, write]);
  }
  if (varying.length === 0) return () => fixed;
  return (combination) => {
    const settings = { ...fixed };
    for (const [name, write] of varying) settings[name] = write(combination);
    return settings;
  };
}

/** What each job of an entry holds: with `max_running` also one of the limit that they share. */
const licensesOf = ({ name, licenses, max_running: most }: JobSpec) =>
  most === undefined ? licenses : { ...licenses, [familyLimit(name)]: 1 };

/** Writes a value whose texts name parameters; undefined for one that is the same for all jobs. */
function valueWriter(
  value: string | number | boolean | readonly string[] | Readonly<Record<string, string | number>>,
  axes: SpecFamily<JobSpec>['axes'],
): ((combination: number) => unknown) | undefined {
  if (typeof value === 'string') {
    const text = templateOf(value, axes);
    return text.fixed === undefined ? (combination) => text.render(combination) : undefined;
  }
  if (typeof value !== 'object') return undefined;
  if (Object.values(value).some((each) => typeof each === 'number')) return undefined;
  const texts = Object.entries(value as Readonly<Record<string, string>>).map(
    ([key, text]) => [key, templateOf(text, axes)] as const,
  );
  if (texts.every(([, text]) => text.fixed !== undefined)) return undefined;
  return Array.isArray(value)
    ? (combination) => texts.map(([, text]) => text.render(combination))
    : (combination) => Object.fromEntries(texts.map(([key, text]) => [key, text.render(combination)]));
}

const numbersOf = (records: readonly { readonly name?: string }[] | undefined): Numbers =>
  new Map((records ?? []).flatMap(({ name }, index) => (name === undefined ? [] : [[name, index] as const])));

const numberIn = (numbers: Numbers, name: Template | undefined, combination: number): number | undefined =>
  name === undefined ? undefined : numbers.get(name.render(combination));

/** The records that a job names, with those that its patterns select. */
function unfolded(lists: Lists, job: number, records: number, selections: Selections): Int32Array {
  const list = itemsOf(lists, job);
  const isPlain = list.every((item) => item < records);
  if (isPlain) return list;
  const [only = 0] = list;
  if (list.length === 1) return selections.membersOf(only - records);
  const all = new Set<number>();
  for (const item of list) {
    if (item < records) all.add(item);
    else for (const member of selections.membersOf(item - records)) all.add(member);
  }
  return Int32Array.from(all);
}
