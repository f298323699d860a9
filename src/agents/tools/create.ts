import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { createFromAfar } from '../../client/create-workflow.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { nextCommand } from '../../core/lifecycle/explain/next-command.ts';
import { dryRunReport } from '../../core/workflow-file/read/dry-run.ts';
import { createFromPlan } from '../../operations/create/create.ts';
import { knownWorkflow } from '../../client/compat/known.ts';
import { placeOf } from '../../core/lifecycle/explain/place.ts';
import { type Backend, tool } from '../tool.ts';
import { parameters } from './parameters.ts';
import { planFrom, readGivenSpec, withFile } from './spec.ts';

export const createWorkflowTool = tool('create_workflow', {
  says: 'Check a specification, save it as a file, or create the workflow on the server. For workflow_type slurm it gets schedulers of the batch system here and the actions that submit them. It starts no runner: the reply names the command that does.',
  effect: 'adds',
  input: parameters({
    spec_json: z.string().describe('the workflow file as JSON text; get_docs workflow-spec lists the fields'),
    user: z.string().min(1).optional().describe('owner of the workflow (default: the user of this server)'),
    action: z.enum(['create_workflow', 'save_spec_file', 'validate']).default('create_workflow'),
    workflow_type: z.enum(['local', 'slurm']).default('local'),
    account: z.string().min(1).optional().describe('account of the allocations'),
    hpc_profile: z.string().min(1).optional(),
    output_path: z.string().min(1).optional().describe('for save_spec_file; an existing file is not replaced'),
  }),
  more: 'torc create FILE --dry-run prints all problems',
  async run(
    { spec_json: given, action, workflow_type: type, user, account, hpc_profile: profile, output_path: path },
    backend,
  ) {
    if (backend.outputDir === undefined && (action === 'save_spec_file' || type === 'slurm'))
      throw new Error(
        `${action === 'save_spec_file' ? action : 'workflow_type slurm'} needs the machine of the workflow: start torc-mcp-server there`,
      );
    // The problems of the text itself come first: the command for Slurm would stop at them with a file that the caller did not name.
    if (action === 'validate' && type === 'local') return dryRunReport(readGivenSpec(given, backend));
    const written = planFrom(given, backend);
    const text = type === 'slurm' ? await withSchedulers(given, { account, profile }, backend) : given;
    if (action === 'validate') return dryRunReport(readGivenSpec(text, backend));
    if (action === 'save_spec_file') return { path: save(text, path) };
    const owner = user ?? backend.user;
    if (owner === undefined) throw new Error('user: the call has no login, so name the owner of the workflow');
    const client = await backend.client();
    const plan = type === 'slurm' ? planFrom(text, backend) : written;
    const id =
      backend.outputDir === undefined
        ? await createFromAfar(client, plan, { user: owner })
        : await createFromPlan(client, plan, { user: owner, monitorsJobs: true });
    return { workflow_id: id, next: backend.hint(nextCommand(placeOf(await knownWorkflow(client, id)))) };
  },
});

const optional = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value]);

/** The specification with the schedulers that `torc slurm generate` adds. */
const withSchedulers = (
  text: string,
  { account, profile }: { readonly account: string | undefined; readonly profile: string | undefined },
  { command }: Backend,
) =>
  withFile(text, async (path) => {
    const more = [...optional('--account', account), ...optional('--profile', profile)];
    const { notices: _, ...spec } = await command('slurm', 'generate', path, ...more);
    return JSON.stringify(spec);
  });

function save(text: string, path: string | undefined): string {
  if (path === undefined) throw new Error('save_spec_file needs output_path');
  if (!path.endsWith('.json'))
    throw new Error(`output_path: the specification is JSON; expected a name in .json, found ${path}`);
  try {
    writeFileSync(path, `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`, { flag: 'wx' });
  } catch (cause) {
    throw new Refusal('FILE_UNREADABLE', `${path} was not written: ${(cause as Error).message}`, {}, { cause });
  }
  return resolve(path);
}

export const planAllocationsTool = tool('plan_allocations', {
  says: 'How to split the allocations of a specification, from the state of the cluster.',
  effect: 'reads',
  needsMachine: true,
  input: parameters({
    spec_json: z.string(),
    account: z.string().min(1).optional().describe('needed where the batch system wants one'),
    partition: z.string().min(1).optional(),
    hpc_profile: z.string().min(1).optional(),
    skip_test_only: z.boolean().default(false).describe('do not ask when allocations would start'),
  }),
  more: 'torc slurm plan-allocations prints all',
  run({ spec_json: text, account, partition, hpc_profile: profile, skip_test_only: skips }, backend) {
    planFrom(text, backend);
    return withFile(text, (path) =>
      backend.command(
        'slurm',
        'plan-allocations',
        path,
        ...optional('--account', account),
        ...optional('--partition', partition),
        ...optional('--profile', profile),
        ...(skips ? ['--skip-test-only'] : []),
      ),
    );
  },
});
