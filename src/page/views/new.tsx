import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { type Problem, problemSentence } from '../../core/workflow-file/problems/problems.ts';
import { after } from '../../client/long-timers.ts';
import { connection } from '../connection.ts';
import type { CheckedFile } from '../new/check.ts';
import { Choices, ErrorNote, FormField, PageSection, WayBack } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { shortenedText } from '../words.ts';

const FORMATS = ['yaml', 'json', 'json5', 'kdl'] as const;
type Format = (typeof FORMATS)[number];
/** A pause while typing, after which the text is checked. */
const PAUSE_MS = 300;
/** Problems that are listed; others follow from them, as a rule. */
const MOST_PROBLEMS = 100;
const EXAMPLE = `name: sweep
jobs:
  - name: 'train_{lr}'
    command: 'echo {lr}'
    parameters: { lr: '[0.1, 0.01, 0.001]' }
`;

const load = () => import('../new/check.ts');

/** A workflow file that is pasted or dropped: its problems while it is written, then its workflow. */
export function NewView() {
  const [text, setText] = useState('');
  const [format, setFormat] = useState<Format>('yaml');
  const [checked, setChecked] = useState<CheckedFile>();
  const [error, setError] = useState<string>();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    setError(undefined);
    if (text.trim() === '') return setChecked(undefined);
    const timer = after(PAUSE_MS, () => {
      load().then(
        ({ check }) => setChecked(check(text, format)),
        () => setError('The part of the page that reads workflow files could not be loaded. Load the page again.'),
      );
    });
    return () => timer.cancel();
  }, [text, format]);

  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase().replace('yml', 'yaml');
    setFormat(FORMATS.find((each) => each === extension) ?? format);
    setText(await file.text());
  };
  const goTo = ({ line = 1, column = 1 }: Problem) => {
    const start =
      text
        .split('\n')
        .slice(0, line - 1)
        .reduce((sum, each) => sum + each.length + 1, 0) +
      column -
      1;
    area.current?.focus();
    area.current?.setSelectionRange(start, start + 1);
  };
  return (
    <>
      <WayBack />
      <h1>New workflow</h1>
      <PageSection
        title="Workflow file"
        aside={
          <Choices label="Format" of={FORMATS} shown={format} words={(each) => each.toUpperCase()} choose={setFormat} />
        }
      >
        <textarea
          ref={area}
          class="file"
          aria-label="Text of the workflow file"
          spellcheck={false}
          placeholder={EXAMPLE}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            void take(event.dataTransfer?.files[0]);
          }}
        />
        <label class="note">
          Paste the text, drop a file on it, or choose one:{' '}
          <input
            type="file"
            accept=".yaml,.yml,.json,.json5,.kdl"
            onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
          />
        </label>
      </PageSection>
      <ErrorNote text={error} />
      {checked !== undefined && <Reading checked={checked} goTo={goTo} />}
      {checked?.plan !== undefined && <Create key={text} checked={checked} />}
    </>
  );
}

function Reading({ checked, goTo }: { readonly checked: CheckedFile; readonly goTo: (problem: Problem) => void }) {
  const { name, problems, jobs, files } = checked;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const words =
    errors > 0
      ? `${counted(errors, 'error')} ${errors === 1 ? 'prevents' : 'prevent'} its creation.`
      : `${shortenedText(name)} has ${counted(jobs, 'job')} and ${counted(files, 'file')}, and can be created.`;
  return (
    <PageSection title="What it says">
      <p class={errors > 0 ? 'sentence is-failed' : 'sentence'} role="status">
        {words}
      </p>
      {problems.length > 0 && (
        <PageTable
          label="Table of problems"
          hasTexts
          rows={problems.slice(0, MOST_PROBLEMS)}
          keyOf={(problem) => problems.indexOf(problem)}
          columns={[
            {
              title: 'Place',
              cell: (problem) =>
                problem.line === undefined ? (
                  'file'
                ) : (
                  <button type="button" class="quiet" onClick={() => goTo(problem)}>
                    {problem.line}:{problem.column ?? 1}
                  </button>
                ),
            },
            {
              title: 'Kind',
              cell: ({ severity }) => severity,
              class: ({ severity }) => (severity === 'error' ? 'is-bad' : ''),
            },
            {
              title: 'Problem',
              kind: 'wide',
              cell: (problem) => <span class="name">{shortenedText(problemSentence(problem), 600)}</span>,
            },
          ]}
        />
      )}
      {problems.length > MOST_PROBLEMS && <p class="note">and {grouped(problems.length - MOST_PROBLEMS)} more</p>}
    </PageSection>
  );
}

const OWNER = 'torc page owner';

function Create({ checked }: { readonly checked: CheckedFile }) {
  const known = connection.user;
  const [owner, setOwner] = useState(known ?? localStorage.getItem(OWNER) ?? '');
  const [created, setCreated] = useState<number>();
  const [error, setError] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    const { plan } = checked;
    if (plan === undefined || created !== undefined) return;
    setError(undefined);
    setCreated(0);
    if (known === undefined) localStorage.setItem(OWNER, owner);
    try {
      const { createCheckedFile } = await load();
      const id = await createCheckedFile(connection.client, plan, { user: owner, onProgress: setCreated });
      location.hash = `#/workflows/${id}`;
    } catch (thrown) {
      setError(`Nothing was created: ${(thrown as Error).message}`);
      setCreated(undefined);
    }
  };
  return (
    <PageSection title="Create it">
      <form class="create" onSubmit={(event) => void submit(event)}>
        <FormField label="Owner" required value={owner} readOnly={known !== undefined} set={setOwner} />
        <button type="submit" class="main" disabled={created !== undefined}>
          {created === undefined
            ? `Create ${counted(checked.jobs, 'job')}`
            : `Creating: ${grouped(created)} of ${grouped(checked.jobs)}`}
        </button>
      </form>
      <p class="note">
        Its first jobs become ready. A runner starts them in its own folder, with a command that the page of the
        workflow shows.
      </p>
      <ErrorNote text={error} />
    </PageSection>
  );
}
