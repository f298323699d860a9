import type { SpecFamily } from '../expand/family.ts';
import { shiftedTemplate } from '../expand/shift.ts';
import { templateOf, type Template } from '../expand/template.ts';
import type { JobSpec } from '../shape/workflow.ts';
import type { TextPart } from '../problems/text-part.ts';
import type { Relation } from './relation.ts';
import { tokensOf, type Token } from './tokens.ts';

/** A token of a text: its name, and its position. */
export interface NamedToken {
  readonly name: Template;
  readonly part: TextPart;
}

/** The fields of a family of jobs for one relation, as templates. */
export interface FamilyFields {
  readonly names: readonly Template[];
  readonly patterns: readonly Template[];
  readonly paths: readonly Template[];
  /** Tokens of the command, and of the invocation script. */
  readonly command: readonly NamedToken[];
  readonly script: readonly NamedToken[];
  readonly isFixed: boolean;
}

export function fieldsOf({ spec, axes }: SpecFamily<JobSpec>, relation: Relation): FamilyFields {
  const all = (texts: readonly string[]): Template[] => texts.map((text) => templateOf(text, axes));
  const named = (text: string | undefined): NamedToken[] =>
    tokensIn(text, relation).map(({ name, part }) => ({ name: templateOf(name, axes), part }));
  const shifting = (texts: readonly string[]): Template[] => texts.map((text) => shiftedTemplate(text, axes));
  const names = shifting(spec[relation.names] ?? []);
  const patterns = all(spec[relation.patterns] ?? []);
  const paths = shifting((relation.paths === undefined ? [] : (spec[relation.paths] ?? [])).map(({ path }) => path));
  const [command, script] = [named(spec.command), named(spec.invocation_script)];
  const texts = [...names, ...patterns, ...paths, ...[...command, ...script].map(({ name }) => name)];
  return { names, patterns, paths, command, script, isFixed: texts.every(({ fixed }) => fixed !== undefined) };
}

const tokensIn = (text: string | undefined, { token: wanted }: Relation): Token[] =>
  wanted === undefined
    ? []
    : tokensOf(text).filter(({ kind, direction }) => kind === wanted.kind && direction === wanted.direction);

/** Whether a job uses a relation at all. */
export const isConcerned = (spec: JobSpec, relation: Relation): boolean =>
  (spec[relation.names]?.length ?? 0) > 0 ||
  (spec[relation.patterns]?.length ?? 0) > 0 ||
  (relation.paths !== undefined && (spec[relation.paths]?.length ?? 0) > 0) ||
  tokensIn(spec.command, relation).length > 0 ||
  tokensIn(spec.invocation_script, relation).length > 0;
