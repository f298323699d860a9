import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { temporaryFolder } from './programs.ts';
import { whenFileIsOver } from './over.ts';

/** Firefox, as a test drives it by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/); undefined where there is none. */
export const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

export interface Firefox {
  open(url: string): Promise<void>;
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until the page shows the text. */
  shows(text: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  /** Errors of scripts and of the policy of the page. */
  readonly faults: readonly string[];
}

/** A machine that does other things takes its time. */
const MOST_MS = 60_000;

interface Reply {
  readonly id?: number;
  readonly type: 'success' | 'error' | 'event';
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly message?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
}

/** Starts Firefox with a profile of its own, and opens one page. It ends with the file. */
export async function openFirefox(): Promise<Firefox> {
  const profile = temporaryFolder();
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const browser = spawn(FIREFOX as string, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  });
  whenFileIsOver(() => void browser.kill('SIGKILL'));
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    browser.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    browser.once('exit', (code) => reject(new Error(`firefox ended with ${code}: ${said}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((done, fail) => {
    socket.addEventListener('open', done, { once: true });
    socket.addEventListener('error', () => fail(new Error(`no connection to ${address}`)), { once: true });
  });
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  const faults: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.method === 'log.entryAdded' && reply.params?.level === 'error') faults.push(reply.params.text ?? '');
    const asked = waiting.get(reply.id ?? 0);
    if (reply.type === 'success') asked?.resolve(reply.result ?? {});
    else if (reply.type === 'error') asked?.reject(new Error(reply.message));
  });
  let last = 0;
  const call = (method: string, params: object) => {
    last += 1;
    const asked = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(last, asked);
    socket.send(JSON.stringify({ id: last, method, params }));
    return asked.promise;
  };
  await call('session.new', { capabilities: {} });
  await call('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = (await call('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
    })) as { result?: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result?.value;
  };
  return {
    faults,
    evaluate,
    open: async (url) => void (await call('browsingContext.navigate', { context, url, wait: 'complete' })),
    // The page looks itself, at each change of it.
    shows: async (text) => {
      const found = await evaluate(`new Promise((done) => {
        const look = () => document.body.innerText.includes(${JSON.stringify(text)}) && end('');
        const watch = new MutationObserver(look);
        const end = (words) => { watch.disconnect(); done(words); };
        watch.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
        setTimeout(() => end('it shows: ' + document.body.innerText), ${MOST_MS});
        look();
      })`);
      if (found !== '') throw new Error(`the page does not show ${JSON.stringify(text)}; ${String(found)}`);
    },
    screenshot: async () => {
      const { data } = (await call('browsingContext.captureScreenshot', { context })) as { data: string };
      return Buffer.from(data, 'base64');
    },
  };
}
