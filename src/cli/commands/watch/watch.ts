import { command } from '../../command/command.ts';
import { watchOptions } from './watch-options.ts';

export const watch = command('watch <workflow>', {
  says: 'Wait for a workflow to end, and recover it after failures.',
  more:
    'Asks the batch system about allocations that count as alive. With --recover it carries out torc recover when the workflow has failed, or when jobs wait and ' +
    'nothing is alive, and it replaces allocations that are lost while others live. Exits with 0 when all jobs completed, and with 1 when it was canceled, when failures remain, when the same jobs ' +
    'failed again by themselves for the same reasons, when only jobs are left that lost their runner five times in a row while others completed, when allocations ended one after another and no job started in them, when no allocation was ever submitted for a workflow that has Slurm schedulers, or when jobs wait and for 10 s no runner is active and no allocation, submission or recovery is to come (--persistent watches on in both cases). Writes watch_HOST_wfID.log in the output folder.',
  options: watchOptions,
  load: async () => (await import('./watch-until-end.ts')).watchUntilEnd,
});
