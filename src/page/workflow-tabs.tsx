import { useLive } from './hooks.ts';
import { connection } from './connection.ts';
import { WayBack } from './parts.tsx';
import { shortenedText } from './words.ts';

const VIEWS = [
  ['', 'Overview'],
  ['resources', 'Resources'],
  ['runners', 'Runners'],
  ['events', 'Events'],
  ['files', 'Files and data'],
] as const;
export type WorkflowPart = (typeof VIEWS)[number][0];

/** Leads between the views of a workflow; each has an address of its own. */
export const WorkflowTabs = ({ id, shown }: { readonly id: number; readonly shown: WorkflowPart }) => (
  <nav aria-label="Views of the workflow" class="tabs">
    {VIEWS.map(([part, title]) => (
      <a
        key={part}
        href={`#/workflows/${id}${part === '' ? '' : `/${part}`}`}
        aria-current={part === shown ? 'page' : undefined}
      >
        {title}
      </a>
    ))}
  </nav>
);

/** Path, name and tabs above a view of a workflow that is not its overview. */
export function WorkflowHead({ id, shown }: { readonly id: number; readonly shown: WorkflowPart }) {
  const workflow = useLive(`workflow ${id}`, () => connection.client.getWorkflow({ params: { id } }), 60_000);
  return (
    <>
      <WayBack workflow={id} />
      <h1 class="name">{workflow.value === undefined ? `Workflow ${id}` : shortenedText(workflow.value.name)}</h1>
      <WorkflowTabs id={id} shown={shown} />
    </>
  );
}
