import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { httpReceiver } from '../support/http-receiver.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

/** Spans as an installed torc sends them, to a real receiver on this machine. */

const FLOW = 'name: study\njobs: [{name: a, command: "true"}, {name: b, command: "exit 3", depends_on: [a]}]\n';
const SECRET = 'of/a test+1';

const files = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it('a standalone run sends its trace before its command ends, and the login of the receiver stands in no file and no output', async () => {
  const [cwd, receiver] = [temporaryFolder(), await httpReceiver()];
  writeFileSync(join(cwd, 'flow.yaml'), FLOW);
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${encodeURIComponent(SECRET)}, x-scope = lab`,
    OTEL_SERVICE_NAME: 'torc of ann',
  };
  const { code, stdout, stderr } = await torc(['-s', 'run', 'flow.yaml'], { cwd, environment });
  const texts = receiver.arrived.map(({ text }) => text).join('\n');
  expect(code).toBe(0);
  const names = [...texts.matchAll(/"name":"(study|a|b|[ab], attempt 1)"/g)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(['a', 'a, attempt 1', 'b', 'b, attempt 1', 'study']));
  expect(texts).toContain('{"key":"service.name","value":{"stringValue":"torc of ann"}}');
  expect(receiver.arrived[0]?.headers).toMatchObject({ 'x-api-key': SECRET, 'x-scope': 'lab' });
  const shown = await torc(['config', 'show'], { cwd, environment });
  expect(shown.stdout).toContain(receiver.url);
  const isSecret = (text: string) => text.includes(SECRET) || text.includes(encodeURIComponent(SECRET));
  expect([stdout, stderr, shown.stdout].filter(isSecret)).toEqual([]);
  expect(files(cwd).filter((path) => isSecret(readFileSync(path, 'latin1')))).toEqual([]);
});

it.each([
  ['for another protocol', { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }],
  ['with a login', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ann:secret@127.0.0.1:9' }],
  ['that does not answer', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
])('a run goes well with a receiver %s in the environment', async (_, environment) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'flow.yaml'), FLOW);
  const { code, stderr } = await torc(['-s', 'run', 'flow.yaml'], { cwd, environment });
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed, 1 failed')]);
});
