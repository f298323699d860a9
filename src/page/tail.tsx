import { lastState, printable } from '../core/text/printable.ts';
import { connection } from './connection.ts';
import { useLive } from './hooks.ts';
import { CopiedCommand, Shown } from './parts.tsx';

interface Attempt {
  readonly jobId: number;
  readonly runId?: number | undefined;
  readonly attemptId?: number | undefined;
}

/** The last lines that an attempt wrote, or where they are. */
export function Tail({
  jobId,
  runId,
  attemptId,
  stream,
  lines = 20,
  isLive = false,
}: Attempt & { readonly stream: 'stdout' | 'stderr'; readonly lines?: number; readonly isLive?: boolean }) {
  const key = `${jobId} ${runId} ${attemptId} ${stream} ${lines}`;
  const query = { stream, lines, run_id: runId, attempt_id: attemptId };
  const live = useLive(
    key,
    () => connection.client.getOutputTail({ params: { id: jobId }, query }),
    isLive ? 2_000 : 60_000,
  );
  return (
    <Shown live={live} what="the output">
      {(tail) => {
        if (tail.lines === undefined || tail.lines === null)
          return (
            <>
              <p class="note">
                The {stream} {tail.hostname ? `is on ${printable(tail.hostname)}` : 'is not known'}; it is not shown
                here: {tail.reason}.
              </p>
              <CopiedCommand text={tail.command} />
            </>
          );
        if (tail.lines.length === 0) return <p class="note">Nothing was written to {stream}.</p>;
        return (
          <pre class="output" tabIndex={0} role="group" aria-label={`The last lines of ${stream}`}>
            {tail.has_more === true ? '…\n' : ''}
            {tail.lines.map(withoutEscapes).join('\n')}
          </pre>
        );
      }}
    </Shown>
  );
}

// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b\[[\d;?]*[ -/]*[@-~]/g;

/** Colours and other escapes of terminals are left out, and other control characters made visible. */
const withoutEscapes = (line: string): string => printable(lastState(line.replaceAll(ESCAPES, '')));
