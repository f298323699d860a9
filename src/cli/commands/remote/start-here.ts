import { closeSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { becomeWorker, type BecomeTools, type StartRequest } from '../../../operations/remote/become-worker.ts';
import type { RunSummary } from '../../../runner/facts/options.ts';
import type { Context, OpenContext } from '../../command/context.ts';
import { createContext } from '../../create-context.ts';
import { withOther } from '../../command/settings.ts';
import { endRun } from '../../run/end-of-run.ts';
import { runWorkflow } from '../../run/run-workflow.ts';
import type { HostFault } from '../../../core/remote/host-faults.ts';

type Reply = BecomeTools['reply'];

/** The connection over which the start was requested; as long as it is open, ssh waits. */
const CONNECTION = 3;

/** Becomes the runner of this host, and prints what a run prints: the standard error of this process is the log. */
export async function startHere(context: Context, request: StartRequest, reply: Reply): Promise<void> {
  const once = answerOnce(reply);
  let own: OpenContext | undefined;
  const opened = () => (own ??= contextFor(context, request));
  try {
    await becomeWorker(request, {
      open: async () => (await opened().service()).client,
      async run(workflow, onRegistered) {
        const registration = { computeNodeType: 'local', workflow, onRegistered } as const;
        const summary = await runWorkflow(opened(), request.workflow_id, runOptions(request), registration);
        await sayEnd(opened(), request, summary);
        return { summary, exitCode: opened().exitCode };
      },
      reply: once,
    });
  } catch (error) {
    once({ is: 'refused', code: 'START_FAILED' satisfies HostFault, message: (error as Error).message });
    context.output.error((error as Error).message);
    context.exitWith(1);
  } finally {
    await own?.close();
    if (own !== undefined && own.exitCode !== 0) context.exitWith(own.exitCode);
  }
}

/** After the first answer the connection is closed: jobs must not inherit it, and ssh must not wait for them. */
function answerOnce(reply: Reply): Reply {
  let isDone = false;
  return (answer) => {
    if (isDone) return;
    isDone = true;
    reply(answer);
    try {
      closeSync(CONNECTION);
    } catch {
      // It was not open.
    }
  };
}

/** The context of this command, with the service of the request. */
function contextFor(context: Context, { service, output_dir: outputDir, runner }: StartRequest): OpenContext {
  const { url, user, password, cookie, certificates, insecure } = service;
  let tlsCaCert: string | undefined;
  if (certificates) {
    tlsCaCert = join(outputDir, `torc_worker_${hostname()}_ca.pem`);
    writeFileSync(tlsCaCert, certificates, { mode: 0o600 });
  }
  const hint = (command: string) => `${command.replace(/^torc /, `torc --url ${url} `)}`;
  // Jobs that call torc need the same.
  const variables = {
    TORC_COOKIE_HEADER: cookie,
    TORC_TLS_CA_CERT: tlsCaCert,
    TORC_TLS_INSECURE: insecure ? 'true' : undefined,
  };
  for (const [name, value] of Object.entries(variables)) if (value) process.env[name] = value;
  return createContext({
    ...context,
    hint,
    settings: withOther(context.settings, {
      url,
      user,
      password: password ?? undefined,
      asksPassword: false,
      cookie: cookie ?? undefined,
      tlsCaCert,
      tlsInsecure: insecure,
      logLevel: runner.log_level as Context['settings']['logLevel'],
      standalone: false,
      // Compared already, and exactly.
      skipVersionCheck: true,
    }),
  });
}

const runOptions = ({ output_dir: outputDir, runner }: StartRequest) => ({
  outputDir,
  numCpus: runner.num_cpus ?? undefined,
  memoryGb: runner.memory_gb ?? undefined,
  numGpus: runner.num_gpus ?? undefined,
  maxParallelJobs: runner.max_parallel_jobs ?? undefined,
  pollInterval: runner.poll_interval ?? 5,
  label: runner.labels,
});

async function sayEnd(context: OpenContext, request: StartRequest, summary: RunSummary): Promise<void> {
  const { client } = await context.service();
  const workflow = { name: request.workflow.name, id: request.workflow_id };
  const full = await client.getWorkflow({ params: { id: request.workflow_id } }).catch(() => undefined);
  if (full === undefined) return;
  const options = runOptions(request);
  await endRun(context, { client, workflow: { ...full, ...workflow }, summary, options, failsWithJobs: false });
}
