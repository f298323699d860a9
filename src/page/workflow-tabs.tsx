import { useLive } from './hooks.ts';
import { connection } from './connection.ts';
import { WayBack } from './parts.tsx';
import { shortenedText } from './words.ts';

/** The views of a workflow by the part of their address, in the order of their tabs; `title` is that of the window. */
export const WORKFLOW_VIEWS = {
  '': { tab: 'Overview', title: undefined },
  resources: { tab: 'Resources', title: 'Resources' },
  runners: { tab: 'Runners', title: 'Runners' },
  events: { tab: 'Events', title: 'Events' },
  files: { tab: 'Files and data', title: 'Files' },
} as const;
export type WorkflowPart = keyof typeof WORKFLOW_VIEWS;

/** Leads between the views of a workflow; each has an address of its own. */
export const WorkflowTabs = ({ id, shown }: { readonly id: number; readonly shown: WorkflowPart }) => (
  <nav aria-label="Views of the workflow" class="tabs">
    {Object.entries(WORKFLOW_VIEWS).map(([part, { tab }]) => (
      <a
        key={part}
        href={`#/workflows/${id}${part === '' ? '' : `/${part}`}`}
        aria-current={part === shown ? 'page' : undefined}
      >
        {tab}
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
