import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection, type ConnectionState } from './connection.ts';
import { useConnection, useHash, useNow } from './hooks.ts';
import { LogIn } from './log-in.tsx';
import { KeyHelp } from './key-help.tsx';
import { lazy } from './lazy.tsx';
import { useTelemetry } from './telemetry-kept.ts';
import { ageText } from './words.ts';
import { EventsView } from './views/events.tsx';
import { FamilyView } from './views/family.tsx';
import { FilesView } from './views/files.tsx';
import { JobView } from './views/job.tsx';
import { NewView } from './views/new.tsx';
import { ResourcesView } from './views/resources.tsx';
import { RunnersView } from './views/runners.tsx';
import { WorkflowView } from './views/workflow.tsx';
import { WorkflowsView } from './views/workflows.tsx';
import { WORKFLOW_VIEWS, type WorkflowPart } from './workflow-tabs.tsx';

const TelemetryView = lazy('telemetry', () =>
  import('./telemetry/telemetry-view.tsx').then((part) => part.TelemetryView),
);

/** The page: what its address names, and above it whether the server answers. */
export function App() {
  const state = useConnection();
  const hash = useHash();
  const view = viewOf(hash);
  useEffect(() => {
    document.title = `${view.title} · Torc`;
  }, [view.title]);
  return (
    <>
      <a class="skip" href="#content" onClick={toContent}>
        Skip to the content
      </a>
      <header class="top">
        <a href="#/" class="brand">
          <Mark /> Torc
        </a>
        <TelemetryLink isShown={hash.startsWith('#/telemetry')} />
        <Connection state={state} />
        <KeyHelp hash={hash} />
      </header>
      <main id="content" tabIndex={-1}>
        {state.is === 'logged out' ? <LogIn why={state.why} /> : view.content}
      </main>
    </>
  );
}

/** The part of the address behind `#` names the view, so the link is not followed. */
const toContent = (event: Event) => {
  event.preventDefault();
  document.getElementById('content')?.focus();
};

const VIEWS: Readonly<Record<WorkflowPart, FunctionComponent<{ id: number; query: URLSearchParams }>>> = {
  '': WorkflowView,
  resources: ResourcesView,
  runners: RunnersView,
  events: EventsView,
  files: FilesView,
};
const isPart = (part: string): part is WorkflowPart => Object.hasOwn(WORKFLOW_VIEWS, part);

/** The view of an address. Unknown ones show the list. */
function viewOf(hash: string) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [kind, id, part, key] = path.split('/');
  const number = Number(id);
  const parameters = new URLSearchParams(query);
  if (kind === 'workflows' && Number.isSafeInteger(number) && part === 'families' && key !== undefined)
    return {
      title: `Workflow ${number}`,
      content: <FamilyView key={key} id={number} family={decoded(key)} query={parameters} />,
    };
  if (kind === 'telemetry') {
    const parts = path.split('/').slice(1).map(decoded);
    return {
      title: ['Telemetry', ...parts.filter((each) => each !== 'nodes' && each !== 'jobs')].reverse().join(' · '),
      content: <TelemetryView path={parts} query={parameters} />,
    };
  }
  if (kind === 'new') return { title: 'New workflow', content: <NewView /> };
  if (kind === 'workflows' && Number.isSafeInteger(number)) {
    const shown = part !== undefined && isPart(part) ? part : '';
    const [View, { title }] = [VIEWS[shown], WORKFLOW_VIEWS[shown]];
    return {
      title: title === undefined ? `Workflow ${number}` : `${title} of workflow ${number}`,
      content: <View key={number} id={number} query={parameters} />,
    };
  }
  if (kind === 'jobs' && Number.isSafeInteger(number))
    return { title: `Job ${number}`, content: <JobView key={number} id={number} /> };
  return { title: 'Workflows', content: <WorkflowsView query={parameters} /> };
}

/** A part of an address; one that is encoded wrongly as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Only where the server keeps telemetry. */
function TelemetryLink({ isShown }: { readonly isShown: boolean }) {
  if (useTelemetry() !== true) return null;
  return (
    <nav aria-label="Parts of the page" class="sections">
      <a href="#/" aria-current={isShown ? undefined : 'true'}>
        Workflows
      </a>
      <a href="#/telemetry" aria-current={isShown ? 'true' : undefined}>
        Telemetry
      </a>
    </nav>
  );
}

function Connection({ state }: { readonly state: ConnectionState }) {
  const now = useNow();
  if (state.is === 'away')
    return (
      <p class="connection is-away" role="status">
        <span class="dot is-failed" aria-hidden="true" /> The server has not answered since{' '}
        {new Date(state.sinceMs).toLocaleTimeString()} ({ageText(new Date(state.sinceMs).toISOString(), now)}). What is
        shown is of then.
      </p>
    );
  if (state.is === 'hidden')
    return (
      <p class="connection is-away" role="status">
        <span class="dot is-failed" aria-hidden="true" /> Another program replies in place of the server: {state.found}.
        Perhaps a login of your site has ended.{' '}
        <button type="button" class="quiet" onClick={() => location.reload()}>
          Log in again
        </button>
      </p>
    );
  return (
    <p class="connection" role="status">
      {state.is === 'here' && (
        <>
          <span class="dot is-completed" aria-hidden="true" /> live
        </>
      )}
      {state.is === 'here' && connection.hasSession && (
        <button type="button" class="quiet" onClick={() => void connection.logOut()}>
          Log out
        </button>
      )}
    </p>
  );
}

/** A ring that is open: the ornament that the program is named after. */
const Mark = () => (
  <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path d="M9 20.2a8.5 8.5 0 1 1 6 0" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />
    <circle cx="9" cy="20.2" r="2.2" fill="currentColor" />
    <circle cx="15" cy="20.2" r="2.2" fill="currentColor" />
  </svg>
);
