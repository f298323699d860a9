import type { Tables } from '../expand/tables.ts';
import { type AppliedGlobs, applyGlobs } from '../glob/apply.ts';
import type { LookAtFiles } from '../glob/look.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import { checkShape } from '../shape/check.ts';
import { workflow, type WorkflowSpec } from '../shape/workflow.ts';
import { isInexact, isList, isMap, type Value, type ValueMap } from '../text/value.ts';
import { withAdditions } from './additions.ts';
import { applyVariables } from './variables.ts';

/** A workflow file's value as a typed spec, its variables inserted and its patterns of paths matched; and the fields of which a part was lost. */
export function readWorkflow(
  value: Value,
  { tables, look }: { readonly tables: Tables; readonly look: LookAtFiles | undefined },
  complain: Complain,
): { spec: WorkflowSpec; damaged: ReadonlySet<string> } & Omit<AppliedGlobs, 'root'> {
  const given = isMap(value) ? withAdditions(withoutMoved(value, complain), complain) : value;
  const replaced = isMap(given) ? applyVariables(given, (root) => tables.names(root), complain) : given;
  const { root, ...globs } = isMap(replaced)
    ? applyGlobs(replaced, look, complain)
    : { root: replaced, globs: [], groups: [], isWhole: true };
  const { value: spec, damaged } = checkShape(workflow, root, complain);
  warnOfInexact(spec, complain);
  return { spec, damaged, ...globs };
}

function withoutMoved(root: ValueMap, complain: Complain): ValueMap {
  if (!Object.hasOwn(root, 'slurm_config')) return root;
  const { slurm_config: _moved, ...rest } = root;
  complain({
    code: 'FIELD_MOVED',
    message: '`slurm_config` is no longer a field of workflows; set `execution_config` instead',
    path: ['slurm_config'],
    atKey: true,
    found: 'slurm_config',
    suggestion: 'execution_config',
  });
  return rest;
}

/** Data passes through JSON in JavaScript: a whole number beyond 2^53 would be changed. */
function warnOfInexact(spec: WorkflowSpec, complain: Complain): void {
  const look = (value: Value | undefined, path: ValuePath): void => {
    if (value === undefined) return;
    if (isInexact(value)) {
      const message = 'the number is beyond 2^53 and is kept as its nearest neighbour; write it in quotes to keep it';
      complain({ code: 'NUMBER_INEXACT', message, path });
    } else if (isList(value)) value.forEach((item, index) => look(item, [...path, index]));
    else if (isMap(value)) for (const [key, item] of Object.entries(value)) look(item, [...path, key]);
  };
  look(spec.metadata, ['metadata']);
  look(spec.slurm_defaults, ['slurm_defaults']);
  for (const [index, record] of (spec.user_data ?? []).entries()) look(record.data, ['user_data', index, 'data']);
}
