import type { Client } from '../../client/client.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { OutputDisk } from '../attempt/output-disk.ts';
import type { Log } from '../facts/log.ts';

export interface CutOutputOptions {
  readonly client: Pick<Client, 'createEvent'>;
  readonly disk: Pick<OutputDisk, 'finish'>;
  readonly workflowId: number;
  readonly nodeId: number;
  readonly hostname: string;
  readonly log: Log;
  /** Whether the server can be reached. */
  readonly isReported: boolean;
}

/** Names at the end of a run the jobs whose output may be cut because there was no room for it: in the log, and as an event. */
export async function reportCutOutput(options: CutOutputOptions): Promise<void> {
  const { client, disk, workflowId, nodeId, hostname, log, isReported } = options;
  const cut = await disk.finish();
  if (cut === undefined) return;
  const { shortage, folder, count, names } = cut;
  const jobs = [...names, ...(count > names.length ? [`and ${count - names.length} more`] : [])].join(', ');
  log.write('warn', `The output of ${counted(count, 'job')} may be cut: there was no room for it`, {
    lacking: shortage,
    folder,
    jobs,
  });
  if (!isReported) return;
  const data = { category: 'output_cut', level: 'warning', compute_node_id: nodeId, hostname };
  try {
    await client.createEvent({
      body: {
        workflow_id: workflowId,
        timestamp: Date.now(),
        data: { ...data, lacking: shortage, folder, count, jobs },
      },
    });
  } catch (error) {
    log.write('debug', 'The event of cut output was not stored', { reason: (error as Error).message });
  }
}
