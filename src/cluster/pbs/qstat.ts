import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { parseDsv, type PbsRecord } from './dsv.ts';
import { jobOfPbsId, pbsIdOf, serverOfPbsId } from './ids.ts';
import { type AskPbs, failed, type PbsAnswer, printed } from './programs.ts';
import { HelperFailed } from '../helper-failed.ts';

/** All that is asked of qstat. Every call throws `HelperFailed`. */
export interface Qstat {
  /** Jobs of these names that the server knows; those that ended too where it keeps a history. */
  jobs(jobs: readonly SlurmJob[], atMostMs?: number): Promise<ReadonlyMap<SlurmJob, PbsRecord>>;
  /** The same by their ids. */
  records(ids: readonly string[]): Promise<PbsRecord[]>;
  /** The ids of these jobs as PBS prints them. */
  ids(jobs: readonly SlurmJob[]): Promise<string[]>;
  queues(): Promise<PbsRecord[]>;
  server(): Promise<PbsRecord>;
}

/** The server answers for so many in a second. */
const MOST_IDS = 200;
const SOON_MS = 20_000;
const FORM = ['-f', '-F', 'dsv'];

/** Of these jobs none is left, or none without `-x`: an answer, and no error. */
const ANSWERS: ReadonlySet<number> = new Set([0, 35, 153]);
const ABOUT_ONE_JOB = /Unknown Job Id|Job has finished|not configured to maintain job history/i;
const NO_HISTORY = /not configured to maintain job history/i;

/** `ownId` is the id of the job in which this process runs. */
export function openQstat(ask: AskPbs, ownId: string | undefined): Qstat {
  let keepsHistory = true;
  let name: Promise<string> | undefined;
  const server = async () => {
    const [found] = parseDsv('server', printed('qstat', await ask('qstat', ['-B', ...FORM], SOON_MS)));
    if (found === undefined) throw new HelperFailed('qstat -B printed no line of the form that it was asked for');
    return found;
  };
  const serverName = () =>
    (name ??= Promise.resolve(serverOfPbsId(ownId) ?? server().then(({ id }) => id)).catch((error: unknown) => {
      name = undefined;
      throw error;
    }));

  const some = async (ids: readonly string[], atMostMs: number | undefined): Promise<PbsRecord[]> => {
    const answer = await ask('qstat', [...(keepsHistory ? ['-x'] : []), ...FORM, ...ids], atMostMs);
    refuseFailure(answer);
    if (!keepsHistory || !NO_HISTORY.test(answer.stderr)) return recordsIn(answer);
    // With `-x` such a server shows no job at all, those that run included.
    keepsHistory = false;
    return some(ids, atMostMs);
  };
  const records = async (ids: readonly string[], atMostMs?: number) => {
    const found: PbsRecord[] = [];
    for (let at = 0; at < ids.length; at += MOST_IDS)
      for (const record of await some(ids.slice(at, at + MOST_IDS), atMostMs)) found.push(record);
    return found;
  };
  const ids = async (jobs: readonly SlurmJob[]) => {
    const of = jobs.length === 0 ? '' : await serverName();
    return jobs.map((job) => pbsIdOf(job, of));
  };
  return {
    ids,
    records,
    async jobs(jobs, atMostMs) {
      const found = await records(await ids(jobs), atMostMs);
      return new Map(found.flatMap((each) => [[jobOfPbsId(each.id) as SlurmJob, each] as const]));
    },
    queues: async () => parseDsv('queue', printed('qstat', await ask('qstat', ['-Q', ...FORM], SOON_MS))),
    server,
  };
}

function refuseFailure(answer: PbsAnswer): void {
  const lines = answer.stderr.split('\n').filter((line) => line.startsWith('qstat:'));
  if (!ANSWERS.has(answer.code) || lines.some((line) => !ABOUT_ONE_JOB.test(line))) throw failed('qstat', answer);
}

/** Throws if it printed lines, and none is a record: then nothing may be concluded from what is missing. */
function recordsIn({ stdout }: PbsAnswer): PbsRecord[] {
  const found = parseDsv('job', stdout).filter(({ id }) => jobOfPbsId(id) !== undefined);
  const first = stdout.split('\n').find((line) => line.trim() !== '');
  if (found.length > 0 || first === undefined) return found;
  throw new HelperFailed(`qstat printed no line of the form that it was asked for: ${JSON.stringify(first)}`);
}
