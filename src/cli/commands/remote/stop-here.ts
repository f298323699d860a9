import { createClient } from '../../../client/client.ts';
import { pause } from '../../../client/long-timers.ts';
import type { HostReply, HostRequestOf } from '../../../core/remote/remote-host.ts';
import { recoverHere as recoverRunnersHere } from '../../../operations/orphans/recover-here.ts';
import { stopWorker } from '../../../runner/detached/stop.ts';
import { connect } from '../../../client/node/connect.ts';

type Service = HostRequestOf<'recover'>['service'];

/** Ends the runner of this host. What a killed runner leaves is ended, and its jobs are given back. */
export async function stopHere(request: HostRequestOf<'stop'>): Promise<HostReply> {
  const { output_dir: outputDir, workflow_id: workflowId, force, wait_seconds: wait } = request;
  const reply = await stopWorker({
    outputDir,
    workflowId,
    force,
    waitMs: wait * 1000,
    now: () => performance.now(),
    pause,
  });
  if (reply.is === 'stopped' && force) await recovered(request);
  return reply;
}

/** Gives the jobs of lost runners of this host back: the process table here proves that they are gone. */
export async function recoverOnHost(request: HostRequestOf<'recover'>): Promise<HostReply> {
  const notes: string[] = [];
  const runners = await recovered(request, (note) => void notes.push(note));
  return { is: 'recovered', runners, notes };
}

async function recovered(
  { service, workflow_id: id }: { service: Service; workflow_id: number },
  note: (words: string) => void = () => {},
): Promise<number> {
  const { url, user, password, cookie, certificates, insecure } = service;
  const connection = connect({
    url,
    username: user,
    password: password ?? undefined,
    cookie: cookie ?? undefined,
    certificates: certificates ?? undefined,
    insecure,
  });
  try {
    const client = createClient(connection.send);
    return await recoverRunnersHere(client, await client.getWorkflow({ params: { id } }), note);
  } finally {
    connection.close();
  }
}
