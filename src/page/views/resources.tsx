import { useState } from 'preact/hooks';
import type { ResourceSuggestion, ResourceUseClass } from '../../core/contract/view.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { readAmount } from '../../core/quantity/read-amount.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { ChangeRequirements as Change } from '../change-requirements.tsx';
import { lazy } from '../lazy.tsx';
import { CopiedCommand, JobLink, jobsWords, PageSection, Shown } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { WorkflowHead } from '../workflow-tabs.tsx';
import { memoryWords, runtimeWords, shortenedText } from '../words.ts';

const Advice = lazy('the advice', () => import('../family-advice.tsx').then((part) => part.AdviceView));
const Nodes = lazy('nodes', () => import('../nodes/node-map.tsx').then((part) => part.NodesView));

/** What jobs used beside what they asked for, with the lines that would fit them, and what they took of their nodes. */
export function ResourcesView({ id, query }: { readonly id: number; readonly query: URLSearchParams }) {
  const live = useLive(`use ${id}`, () => connection.client.getResourceUse({ params: { id } }), 5_000);
  const [changes, setChanges] = useState(0);
  const again = () => {
    live.again();
    setChanges((before) => before + 1);
  };
  return (
    <>
      <WorkflowHead id={id} shown="resources" />
      <PageSection title="Asked for and used">
        <Shown live={live} what="what the jobs used">
          {({ classes, classes_left_out: leftOut }) => (
            <>
              {classes.length === 0 && <p class="note">This workflow has no jobs.</p>}
              {classes.map((each) => (
                <Class key={each.resource_requirements_id} of={each} again={again} />
              ))}
              {leftOut > 0 && <p class="note">{grouped(leftOut)} more requirements are not shown.</p>}
              {classes.some(({ suggestion }) => suggestion) && (
                <>
                  <p class="next">
                    Shows these changes for the workflow on the server, and without --dry-run makes them:
                  </p>
                  <CopiedCommand text={`torc workflows correct-resources ${id} --dry-run`} />
                </>
              )}
            </>
          )}
        </Shown>
      </PageSection>
      <Advice id={id} changes={changes} />
      <Nodes id={id} query={query} />
    </>
  );
}

function Class({ of, again }: { readonly of: ResourceUseClass; readonly again: () => void }) {
  const { name, jobs, ended, lacking, suggestion, suggestions, most_memory: most } = of;
  return (
    <article class="class">
      <header>
        <h3 class="name">{shortenedText(name, 80)}</h3>
        <Change of={of} again={again} />
      </header>
      <p class="facts">
        <span>{jobsWords(jobs)}</span>
        <span>{grouped(ended)} ended</span>
        {lacking > 0 && <span class="is-bad">{grouped(lacking)} lacked something</span>}
      </p>
      <PageTable
        label={`Table of what ${shortenedText(name, 80)} asked for and used`}
        rows={rowsOf(of)}
        keyOf={({ resource }) => resource}
        columns={[
          { title: 'Resource', cell: ({ resource }) => resource },
          { title: 'Asked for', kind: 'number', cell: ({ asked }) => asked },
          { title: 'Used, at most', kind: 'number', cell: ({ used }) => used },
          { title: 'Share', cell: ({ share }) => (share === undefined ? 'not measured' : <Share of={share} />) },
        ]}
      />
      {most.length > 0 && (
        <p class="names">
          <span>Most memory:</span>
          {most.map(({ job_id: jobId, job_name: job, peak_memory_bytes: bytes }) => (
            <span key={jobId}>
              <JobLink id={jobId} name={job} most={60} /> {sizeText(bytes)}
            </span>
          ))}
        </p>
      )}
      {(suggestions ?? (suggestion ? [suggestion] : [])).map((each) => (
        <div key={each.only_family ?? ''}>
          <p class="next">{reasonOf(each, of)}</p>
          <CopiedCommand text={lineOf(of, each)} />
        </div>
      ))}
    </article>
  );
}

function Share({ of }: { readonly of: number }) {
  const percent = Math.round(of * 100);
  return (
    <div class="use">
      <span>{of > 0 && percent === 0 ? '< 1' : percent} %</span>
      <div class={`share ${of > 1 ? 'is-over' : ''}`} aria-hidden="true">
        <span style={{ width: `${Math.min(100, percent)}%` }} />
      </div>
    </div>
  );
}

function rowsOf(of: ResourceUseClass) {
  const { num_cpus: cpus, memory, runtime } = of;
  const [bytes, cpu, seconds] = [
    of.peak_memory_bytes ?? undefined,
    of.peak_cpu_percent ?? undefined,
    of.longest_seconds ?? undefined,
  ];
  const [gpu, cards] = [of.peak_gpu_memory_bytes ?? undefined, of.gpu_memory_bytes ?? undefined];
  const shareOf = (used: number | undefined, asked: number | undefined) =>
    used === undefined || asked === undefined || asked === 0 ? undefined : used / asked;
  return [
    {
      resource: 'Memory',
      asked: memoryWords(memory),
      used: bytes === undefined ? '–' : sizeText(bytes),
      share: shareOf(bytes, readAmount(memory, parseMemory)),
    },
    {
      resource: 'CPUs',
      asked: String(cpus),
      used: cpu === undefined ? '–' : (cpu / 100).toFixed(1),
      share: shareOf(cpu, cpus * 100),
    },
    ...(gpu === undefined
      ? []
      : [
          {
            resource: 'GPU memory',
            asked: cards === undefined ? '–' : `all of ${sizeText(cards)}`,
            used: sizeText(gpu),
            share: shareOf(gpu, cards),
          },
        ]),
    {
      resource: 'Time',
      asked: runtimeWords(runtime),
      used: seconds === undefined ? '–' : timeText(seconds),
      share: shareOf(seconds, readAmount(runtime, parseDuration)),
    },
  ];
}

function reasonOf(
  { direction, only_family: family }: ResourceSuggestion,
  { lacking, suggestions }: ResourceUseClass,
): string {
  if (family) return `Requirements of their own for ${shortenedText(family, 60)}, which needed more:`;
  if (direction === 'upscale') return `${counted(lacking, 'job')} needed more. A fifth above what was used:`;
  return `${suggestions ? 'The others' : 'All of them'} completed with much less. A fifth above what was used:`;
}

/** The requirements as a line of a workflow file in YAML. A JSON text is one of YAML. */
function lineOf(
  { name, num_cpus: cpus, num_gpus: gpus, memory, runtime, suggestions = [] }: ResourceUseClass,
  suggestion: ResourceSuggestion,
): string {
  // Each part needs a name, and names have to differ.
  const number = suggestions?.filter(({ only_family: family }) => family).indexOf(suggestion) ?? 0;
  const own = suggestion.only_family ? `${name}_more${number > 0 ? `_${number + 1}` : ''}` : name;
  const parts = [
    `name: ${/^[A-Za-z_][\w-]*$/.test(own) ? own : JSON.stringify(own)}`,
    `num_cpus: ${suggestion.num_cpus ?? cpus}`,
    ...(gpus > 0 ? [`num_gpus: ${gpus}`] : []),
    `memory: ${suggestion.memory ?? memory}`,
    `runtime: ${suggestion.runtime ?? runtime}`,
  ];
  return `- { ${parts.join(', ')} }`;
}
