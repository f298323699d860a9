import type { Client } from '../../client/client.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { OutputDisk } from '../attempt/output-disk.ts';
import type { Registered } from '../setup/register.ts';

/** In a sentence; explanations of jobs look for theirs among all. */
const MOST_SHOWN = 5;

/**
 * Names at the end of a run the jobs whose output may be cut because there was no room for it: in the log, and as an event, if the
 * server can be reached.
 */
export async function reportCutOutput(
  client: Pick<Client, 'createEvent'>,
  { run, nodeId, hostname }: Pick<Registered, 'run' | 'nodeId' | 'hostname'>,
  disk: Pick<OutputDisk, 'finish'>,
  isReported: boolean,
): Promise<void> {
  const { workflowId, log } = run;
  const cut = await disk.finish();
  if (cut === undefined) return;
  const { shortage, folder, count, names } = cut;
  const shown = names.slice(0, MOST_SHOWN);
  const jobs = [...shown, ...(count > shown.length ? [`and ${count - shown.length} more`] : [])].join(', ');
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
        data: { ...data, lacking: shortage, folder, count, jobs, job_names: [...names] },
      },
    });
  } catch (error) {
    log.write('debug', 'The event of cut output was not stored', { reason: (error as Error).message });
  }
}
