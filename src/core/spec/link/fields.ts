import type { Family } from '../expand/family.ts';
import { template, type Template } from '../expand/template.ts';
import type { JobSpec } from '../shape/workflow.ts';
import type { Relation } from './relation.ts';
import { tokensOf } from './tokens.ts';

/** What a family of jobs says of one relation, as templates. */
export interface FamilyFields {
  readonly names: readonly Template[];
  readonly patterns: readonly Template[];
  /** Names in tokens of the command, and of the script before it. */
  readonly command: readonly Template[];
  readonly script: readonly Template[];
  readonly isFixed: boolean;
}

export function fieldsOf({ spec, axes }: Family<JobSpec>, relation: Relation): FamilyFields {
  const all = (texts: readonly string[]): Template[] => texts.map((text) => template(text, axes));
  const fields = {
    names: all(spec[relation.names] ?? []),
    patterns: all(spec[relation.patterns] ?? []),
    command: all(namesInTokens(spec.command, relation)),
    script: all(namesInTokens(spec.invocation_script, relation)),
  };
  return {
    ...fields,
    isFixed: Object.values(fields)
      .flat()
      .every(({ fixed }) => fixed !== undefined),
  };
}

const namesInTokens = (text: string | undefined, { token: wanted }: Relation): string[] =>
  wanted === undefined
    ? []
    : tokensOf(text).flatMap(({ kind, direction, name }) =>
        kind === wanted.kind && direction === wanted.direction ? [name] : [],
      );

/** Whether a job says anything of a relation at all. */
export const isConcerned = (spec: JobSpec, relation: Relation): boolean =>
  (spec[relation.names]?.length ?? 0) > 0 ||
  (spec[relation.patterns]?.length ?? 0) > 0 ||
  namesInTokens(spec.command, relation).length > 0 ||
  namesInTokens(spec.invocation_script, relation).length > 0;
