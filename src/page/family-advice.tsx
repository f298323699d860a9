import { usedJobs } from '../client/used-jobs.ts';
import { SAVED_RUNTIME_SECONDS } from '../core/lifecycle/resources/correct-resources.ts';
import { nothingBecause, usualAdvice } from '../core/lifecycle/resources/family-advice.ts';
import { allCoreHours, coreHoursWords, familiesJson } from '../core/lifecycle/resources/family-json.ts';
import { parseMemory } from '../core/quantity/bytes.ts';
import { grouped } from '../core/quantity/count-text.ts';
import { parseDuration } from '../core/quantity/duration.ts';
import { readAmount } from '../core/quantity/read-amount.ts';
import { sizeText } from '../core/quantity/size-text.ts';
import { timeText } from '../core/quantity/time-text.ts';
import { connection } from './connection.ts';
import { useLive } from './hooks.ts';
import { CopiedCommand, jobsWords, PageSection, Shown, Time } from './parts.tsx';
import { PageTable } from './table.tsx';
import { memoryWords, runtimeWords, shortenedText } from './words.ts';

/** Jobs that the page reads with their results: 10,000 took a second on two cores, and held the page for 0.1 s at most. */
const MOST_JOBS = 10_000;

/** What families of jobs used and should ask for: the figures of `torc workflows correct-resources --dry-run`, made by the same functions. */
export function AdviceView({ id, changes }: { readonly id: number; readonly changes: number }) {
  // What was read stays while a reader looks at it, but not beside requirements that the reader has changed here.
  const live = useLive(`advice ${id} ${changes}`, () => adviceOf(id), Infinity);
  return (
    <PageSection
      title="Advice by family"
      aside={
        <button type="button" class="quiet" onClick={live.again}>
          Read again
        </button>
      }
    >
      <Shown live={live} what="the advice">
        {(read) => (read.advice === undefined ? <TooMany id={id} jobs={read.jobs} /> : <Advice of={read.advice} />)}
      </Shown>
    </PageSection>
  );
}

async function adviceOf(id: number) {
  const { total_count: jobs } = await connection.client.listJobs({ query: { workflow_id: id, limit: 1 } });
  if (jobs > MOST_JOBS) return { jobs, advice: undefined };
  const { families } = usualAdvice(await usedJobs(connection.client, id));
  const [hours, nothing] = [coreHoursWords(allCoreHours(families)), nothingBecause(families)];
  return { jobs, advice: { ...familiesJson(families), hours, nothing, at: new Date().toISOString() } };
}

const TooMany = ({ id, jobs }: { readonly id: number; readonly jobs: number }) => (
  <>
    <p class="note">
      {`The page reads up to ${jobsWords(MOST_JOBS)}, and this workflow has ${grouped(jobs)}. A command has its medians and the advice:`}
    </p>
    <CopiedCommand text={`torc workflows correct-resources ${id} --dry-run`} />
  </>
);

type GivenAdvice = NonNullable<Awaited<ReturnType<typeof adviceOf>>['advice']>;
type Family = GivenAdvice['families'][number];

function Advice({ of }: { readonly of: GivenAdvice }) {
  const { families, families_left_out: leftOut = 0, hours, rule, nothing, at } = of;
  if (families.length === 0) return <p class="note">There are no jobs to compare.</p>;
  return (
    <>
      <p class="facts">
        <span>Core hours: {hours}</span>
        <span>
          as of <Time at={at} />
        </span>
      </p>
      {nothing !== undefined && <p class="next">Nothing to change, because {nothing}.</p>}
      <PageTable
        label="Table of the advice by family"
        hasTexts
        rows={families.flatMap(rowsOf)}
        keyOf={({ key }) => key}
        columns={[
          { title: 'Family', cell: ({ name }) => shortenedText(name, 40) },
          { title: 'Jobs', kind: 'number', cell: ({ jobs }) => grouped(jobs) },
          { title: 'Resource', cell: ({ resource }) => resource },
          { title: 'Measured', kind: 'number', cell: ({ used }) => grouped(used?.jobs ?? 0) },
          { title: 'Asked for', kind: 'number', cell: ({ asked }) => asked },
          { title: 'Median', kind: 'number', cell: ({ used, text }) => (used ? text(used.median) : '–') },
          { title: 'Maximum', kind: 'number', cell: ({ used, text }) => (used ? text(used.max) : '–') },
          { title: 'Advised', kind: 'number', cell: ({ advised }) => advised },
          { title: 'Why', kind: 'wide', class: () => 'why', cell: ({ why }) => why },
        ]}
      />
      {leftOut > 0 && <p class="note">{grouped(leftOut)} more families are not shown.</p>}
      <p class="note">
        {`Advised is a fifth above the maximum of memory and time. CPUs are the mean over the life of a job; ${rule.fewest_jobs} jobs of at least ${rule.shortest_seconds_for_cpus} s that kept more busy raise them. `}
        {`Requests are lowered where all jobs completed, ${rule.fewest_jobs} were measured, and ${rule.least_difference_percent} % is saved (of time, more than ${SAVED_RUNTIME_SECONDS / 60} min). One job that lacked memory or time is enough to raise it.`}
      </p>
    </>
  );
}

/** A row for each resource of a family. */
function rowsOf(family: Family) {
  const { name, jobs, asked, advised, gpu_memory_bytes: gpus, gpu_memory_of_cards_bytes: cards } = family;
  const requirements = family.resource_requirements_name;
  const own = advised.name === undefined ? '' : `, in requirements of their own: ${shortenedText(advised.name, 40)}`;
  const rowOf = (resource: string, used: Family['seconds'], text: (value: number) => string) => ({
    name,
    jobs,
    resource,
    used,
    text,
    key: `${requirements} ${name} ${resource}`,
  });
  const reason = family.unchanged_because;
  const rows = RESOURCES.map(({ resource, usedBy, text, words, amount }, at) => {
    const [before, after] = [amount(asked) ?? 0, amount(advised) ?? 0];
    const change = after === before ? 'stays' : `${after > before ? 'raised' : 'lowered'}${own}`;
    return {
      ...rowOf(resource, usedBy(family), text),
      asked: requirements === 'default' ? 'nothing' : words(asked),
      advised: requirements === 'default' ? 'nothing' : words(advised),
      // The reason is that of the family, and stands once.
      why: reason !== undefined && at === 0 ? `nothing to change, because ${reason}` : change,
    };
  });
  if (gpus === undefined) return rows;
  const all = cards === undefined ? '–' : `all of ${sizeText(cards)}`;
  return [...rows, { ...rowOf('GPU memory', gpus, sizeText), asked: all, advised: '–', why: 'no request names it' }];
}

type Amounts = Family['asked'];

const RESOURCES = [
  {
    resource: 'Memory',
    usedBy: (family: Family) => family.memory_bytes,
    text: sizeText,
    words: ({ memory }: Amounts) => memoryWords(memory),
    amount: ({ memory }: Amounts) => readAmount(memory, parseMemory),
  },
  {
    resource: 'CPUs',
    usedBy: (family: Family) => family.cpu_percent,
    text: (percent: number) => (percent / 100).toFixed(1),
    words: ({ num_cpus: cpus }: Amounts) => String(cpus ?? 1),
    amount: ({ num_cpus: cpus }: Amounts) => cpus ?? 1,
  },
  {
    resource: 'Time',
    usedBy: (family: Family) => family.seconds,
    text: timeText,
    words: ({ runtime }: Amounts) => runtimeWords(runtime),
    amount: ({ runtime }: Amounts) => readAmount(runtime, parseDuration),
  },
] as const;
