import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { whenOver } from '../support/over.ts';
import { start, startServer, temporaryFolder, until } from '../support/programs.ts';

/** The rules and the dashboard of `examples/monitoring`, in a real Prometheus. Passed over where it is missing. */

const isMissing = !existsSync('/usr/bin/prometheus') || !existsSync('/usr/bin/promtool');
const FOLDER = resolve(import.meta.dirname, '../../examples/monitoring');
const RULES = join(FOLDER, 'torc.rules.yml');

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
const rules = (load(readFileSync(RULES, 'utf8')) as Rules).groups.flatMap((group) => group.rules);

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}
const { panels } = JSON.parse(readFileSync(join(FOLDER, 'torc-dashboard.json'), 'utf8')) as Dashboard;

/** The queries of the panels, as Grafana sends them with all servers chosen. */
const ofPanels = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({
    name: `panel "${title}"`,
    query: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.+'),
  })),
);
/** Those of the alerts without their limits, which no data of a healthy server passes. */
const ofRules = rules.flatMap(({ alert, expr }) =>
  expr.split(' and ').map((part) => ({ name: alert, query: part.replace(/ (?:[<>]|==) [\d.]+$/, '') })),
);

/** The address of a Prometheus that reads the metrics of a server each second, with the rules. */
async function prometheusOf(port: number): Promise<string> {
  const cwd = temporaryFolder();
  const example = readFileSync(join(FOLDER, 'prometheus.yml'), 'utf8');
  const config = example
    .replaceAll('15s', '1s')
    .replace('localhost:8080', `127.0.0.1:${port}`)
    .replace('torc.rules.yml', RULES);
  writeFileSync(join(cwd, 'prometheus.yml'), config);
  const listening = ['--web.listen-address=127.0.0.1:0', `--storage.tsdb.path=${cwd}/data`];
  const program = spawn('/usr/bin/prometheus', ['--config.file=prometheus.yml', ...listening], { cwd });
  const ended = new Promise((done) => program.once('exit', done));
  whenOver(async () => {
    program.kill('SIGKILL');
    await ended;
  });
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const address = () => /"Listening on" address=(\S+)/.exec(said)?.[1];
  return `http://${await until(address, (found) => found !== undefined, 'Prometheus to listen')}`;
}

const FLOW = `
name: watched
jobs:
  - {name: good, command: "true"}
  - {name: bad, command: "exit 3"}
  - {name: longer, command: "while [ ! -e over ]; do sleep 0.2; done"}
  - {name: after, command: "true", depends_on: [longer]}
`;

describe.skipIf(isMissing)('a server with a workflow in Prometheus (needs prometheus)', () => {
  let prometheus: string;
  const ask = async (path: string) =>
    (await fetch(`${prometheus}/api/v1/${path}`)).json() as Promise<{ data: unknown }>;
  const valuesOf = async (query: string) => {
    const { data } = await ask(`query?query=${encodeURIComponent(query)}`);
    return (data as { result: { value: [number, string] }[] }).result.map(({ value }) => Number(value[1]));
  };

  beforeAll(async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'flow.yaml'), FLOW);
    const { port, url } = await startServer(cwd);
    prometheus = await prometheusOf(port);
    await until(
      () => valuesOf('torc_jobs'),
      (values) => values.length > 0,
      'the first scrape',
    );
    const run = start('torc', ['--url', url, 'run', 'flow.yaml'], { cwd });
    whenOver(async () => {
      writeFileSync(join(cwd, 'over'), '');
      await run.ended;
    });
    const failed = 'rate(torc_attempts_total{status="failed"}[1m])';
    await until(
      () => valuesOf(failed),
      ([rate]) => (rate ?? 0) > 0,
      'the failed job in two scrapes',
    );
  });

  it.each([...ofPanels, ...ofRules])('the query of $name gives figures: $query', async ({ query }) => {
    const values = await until(
      () => valuesOf(query),
      (found) => found.length > 0,
      query,
    );
    expect(values.filter(Number.isNaN)).toEqual([]);
  });

  it('Prometheus evaluates every rule, and the alert of failed attempts waits for its time', async () => {
    const states = async () => {
      const { data } = await ask('rules');
      const found = (data as { groups: { rules: { name: string; health: string; state: string }[] }[] }).groups;
      return new Map(found.flatMap((group) => group.rules.map((rule) => [rule.name, `${rule.health} ${rule.state}`])));
    };
    const found = await until(states, (each) => each.get('TorcAttemptsFail') === 'ok pending', 'the rules');
    const expected = rules.map(({ alert }) => [alert, alert === 'TorcAttemptsFail' ? 'ok pending' : 'ok inactive']);
    expect([...found]).toEqual(expected);
  });
});

const workflow = (status: string, values: string) => ({
  series: `torc_workflow_jobs{instance="s", workflow="7", status="${status}"}`,
  values,
});
const attempts = (status: string, values: string) => ({
  series: `torc_attempts_total{instance="s", status="${status}"}`,
  values,
});

/** For each alert what makes it fire, and the least change that does not. */
const firing = [
  {
    alert: 'TorcServerDown',
    bad: [{ series: 'up{job="torc", instance="s"}', values: '0x60' }],
    good: [{ series: 'up{job="torc", instance="s"}', values: '1x60' }],
  },
  {
    alert: 'TorcServerErrors',
    bad: [{ series: 'torc_http_requests_total{instance="s", code="5xx"}', values: '0+1x60' }],
    good: [{ series: 'torc_http_requests_total{instance="s", code="5xx"}', values: '3x60' }],
  },
  {
    alert: 'TorcServerBusy',
    bad: [{ series: 'torc_event_loop_busy_seconds_total{instance="s"}', values: '0+58x60' }],
    good: [{ series: 'torc_event_loop_busy_seconds_total{instance="s"}', values: '0+30x60' }],
  },
  {
    alert: 'TorcAttemptsFail',
    bad: [attempts('failed', '0+3x60'), attempts('completed', '0+7x60')],
    good: [attempts('failed', '0+1x60'), attempts('completed', '0+9x60')],
  },
  {
    alert: 'TorcWorkflowWaits',
    bad: [workflow('ready', '4x60'), workflow('running', '0x60'), workflow('pending', '0x60')],
    good: [workflow('ready', '4x60'), workflow('running', '1x60'), workflow('pending', '0x60')],
  },
  {
    alert: 'TorcWorkflowStuck',
    bad: [workflow('blocked', '4x60'), workflow('ready', '0x60'), workflow('running', '0x60')],
    good: [workflow('blocked', '4x60'), workflow('ready', '0x60'), workflow('running', '1x60')],
  },
  {
    alert: 'TorcWorkflowNeedsDecision',
    bad: [workflow('pending_failed', '1x60')],
    good: [workflow('pending_failed', '0x60')],
  },
];

describe.skipIf(isMissing)('the rules for alerts (need promtool)', () => {
  /** Whether promtool finds the alert firing after 50 minutes of these series. */
  const fires = (alert: string, series: readonly object[]) => {
    const folder = temporaryFolder();
    const test = {
      interval: '1m',
      input_series: series,
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
          eval_time: '50m',
          exp_samples: [{ labels: '{}', value: 1 }],
        },
      ],
    };
    writeFileSync(join(folder, 'test.yml'), JSON.stringify({ rule_files: [RULES], tests: [test] }));
    const { status, stderr } = spawnSync('/usr/bin/promtool', ['test', 'rules', 'test.yml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    // Another failure than that of the expectation is one of the test.
    if (status !== 0) expect(stderr).toContain('got: nil');
    return status === 0;
  };

  it('each has a case here', () => {
    expect(firing.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
  });

  it.each(firing)('$alert fires when what it is about lasts, and not otherwise', ({ alert, bad, good }) => {
    expect([fires(alert, bad), fires(alert, good)]).toEqual([true, false]);
  });
});
