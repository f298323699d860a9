import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { printable } from '../core/text/printable.ts';
import { type Counts, SHOWN_ORDER } from '../core/job/statuses.ts';
import { counted, grouped } from '../core/quantity/count-text.ts';
import type { Live } from './hooks.ts';
import { Loading } from './loading.tsx';
import { shortenedText, statusWords, totalOf } from './words.ts';

/** The statuses that occur with their counts, in the order in which they are shown everywhere. */
export const presentCounts = (counts: Counts) =>
  [...SHOWN_ORDER].flatMap((status) =>
    (counts[status] ?? 0) > 0 ? [[status, counts[status] as number] as const] : [],
  );

/** How far something is, as a bar whose parts are the statuses; the words are for those who do not see it. */
export function Bar({ counts }: { readonly counts: Counts }) {
  const total = totalOf(counts);
  const words = presentCounts(counts).map(([status, jobs]) => `${grouped(jobs)} ${statusWords(status)}`);
  return (
    <div class="bar" role="img" aria-label={words.length === 0 ? 'no jobs' : words.join(', ')} title={words.join(', ')}>
      {presentCounts(counts).map(([status, jobs]) => (
        <span
          key={status}
          class={`part is-${status}`}
          style={{ flexGrow: jobs, minWidth: jobs * 200 < total ? '3px' : '0' }}
        />
      ))}
    </div>
  );
}

/** A count of each status that occurs. */
export function CountList({ counts }: { readonly counts: Counts }) {
  return (
    <ul class="counts">
      {presentCounts(counts).map(([status, jobs]) => (
        <li key={status}>
          <span class={`dot is-${status}`} aria-hidden="true" />
          <b>{grouped(jobs)}</b> {statusWords(status)}
        </li>
      ))}
    </ul>
  );
}

export const Status = ({ status }: { readonly status: string }) => (
  <span class="status">
    <span class={`dot is-${status.replaceAll(' ', '_')}`} aria-hidden="true" />
    {statusWords(status)}
  </span>
);

/** A command as it is shown, with a button that copies it as it is. */
export function CopiedCommand({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => {});
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class="command">
      <code>{printable(text)}</code>
      {/* A page that is not served over TLS or from this machine has no clipboard. */}
      {(navigator as { clipboard?: unknown }).clipboard !== undefined && (
        <button
          type="button"
          class="quiet"
          onClick={() => void copy()}
          aria-label={`${label}: ${printable(text.slice(0, 80))}`}
        >
          {isCopied ? 'Copied' : label}
        </button>
      )}
    </div>
  );
}

/** Buttons of which one is pressed. `words` says what stands on a button, if not its name. */
export const Choices = <T extends string | undefined>({
  label,
  of,
  shown,
  words = String,
  choose,
  children,
}: {
  readonly label: string;
  readonly of: readonly T[];
  readonly shown: T | undefined;
  readonly words?: (each: T) => ComponentChildren;
  readonly choose: (each: T) => void;
  readonly children?: ComponentChildren;
}) => (
  <div class="choices" role="group" aria-label={label}>
    {of.map((each) => (
      <button key={String(each)} type="button" aria-pressed={each === shown} onClick={() => choose(each)}>
        {words(each)}
      </button>
    ))}
    {children}
  </div>
);

/** The way from the list of workflows to what is shown. */
export const WayBack = ({ workflow }: { readonly workflow?: number | undefined }) => (
  <nav aria-label="Path" class="path">
    <a href="#/">Workflows</a> {workflow !== undefined && <a href={`#/workflows/${workflow}`}>Workflow {workflow}</a>}
  </nav>
);

/** A name that users gave, cut, which leads to what has it. */
export const NameLink = ({
  href,
  title,
  name,
  most = 80,
}: {
  readonly href: string;
  readonly title?: string;
  readonly name: string;
  readonly most?: number;
}) => (
  <a href={href} title={title === undefined ? undefined : printable(title)} class="name">
    {shortenedText(name, most)}
  </a>
);

export const JobLink = ({ id, ...rest }: { readonly id: number; readonly name: string; readonly most?: number }) => (
  <NameLink href={`#/jobs/${id}`} {...rest} />
);

/** A field of a form. */
export const FormField = ({
  label,
  set,
  ...rest
}: { readonly label: string; readonly set: (value: string) => void } & AnyInput) => (
  <label>
    {label}
    <input {...rest} onInput={({ currentTarget }) => set(currentTarget.value)} />
  </label>
);

type AnyInput = Pick<
  JSX.IntrinsicElements['input'],
  'name' | 'autocomplete' | 'required' | 'readOnly' | 'min' | 'step' | 'value'
> & { readonly type?: 'number' | 'password' };

/** A text that is looked for. */
export const SearchField = ({
  label,
  value,
  placeholder,
  set,
}: {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly set: (value: string) => void;
}) => (
  <label class="filter">
    <span>{label}</span>
    <input
      type="search"
      value={value}
      placeholder={placeholder}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  </label>
);

/** Why something failed, if it did. */
export const ErrorNote = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="note is-error" role="alert">
      {printable(text)}
    </p>
  );

/** A value that is being read: its error, or that it is on its way. */
export function Shown<T>({
  live,
  what,
  children,
}: {
  readonly live: Live<T>;
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (live.value !== undefined) return <>{children(live.value)}</>;
  if (live.error !== undefined) return <ErrorNote text={live.error.message} />;
  return <Loading what={what} />;
}

export function PageSection({
  id,
  title,
  aside,
  children,
}: {
  /** For a key that leads to it. */
  readonly id?: string;
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card" id={id} tabIndex={id === undefined ? undefined : -1}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** A time of the service, in the time zone of the reader; the exact one in UTC is in its title. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const ms = Date.parse(at ?? '');
  if (Number.isNaN(ms)) return <span>–</span>;
  const iso = new Date(ms).toISOString();
  return (
    <time dateTime={iso} title={`${iso.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`}>
      {new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  );
}

export const jobsWords = (jobs: number) => counted(jobs, 'job');

/** A button for a step of what a drawing shows. The key that does it clicks it: keys.ts. */
export const StepButton = ({
  press,
  says,
  go,
}: {
  readonly press: string;
  readonly says: string;
  readonly go: () => void;
}) => (
  <button type="button" data-key={press} title={`${says}: ${SIGNS[press] ?? press}`} onClick={go}>
    {says}
  </button>
);
const SIGNS: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→' };
