import type { Client } from '../client/client.ts';
import { certificatesIn } from '../client/node/certificates.ts';
import { storedWorkerOf, type Worker } from '../core/remote/worker-line.ts';
import type { RemoteService } from '../operations/remote/service.ts';
import type { Context } from './command/context.ts';
import { Failure } from './command/failure.ts';

/** The hosts that are stored with a workflow. */
export async function storedWorkers(client: Client, workflowId: number): Promise<Worker[]> {
  const rows = await client.listRemoteWorkers({ params: { id: workflowId } });
  return rows.map(({ worker: text }) => {
    const worker = storedWorkerOf(text, workflowId);
    if (typeof worker === 'string') throw new Failure(worker);
    return worker;
  });
}

/** How hosts reach the service that this command uses. */
export async function remoteService({ service, settings, output }: Context): Promise<RemoteService> {
  const { url, user, password } = await service();
  return {
    url,
    user,
    password,
    cookie: settings.cookie,
    certificates: certificatesIn(settings.tlsCaCert, output.warn),
    insecure: settings.tlsInsecure,
  };
}
