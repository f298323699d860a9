/**
 * Input at the edge of the format, with what `torc sonar validate` says of it (the text of the format) and what
 * `torc sonar ingest` makes of it (stored, or in quarantine).
 */
export interface Edge {
  readonly name: string;
  readonly bytes: string | Buffer;
  readonly records: number;
  readonly refused: number;
  readonly hasWarnings: boolean;
  readonly stored: number;
  readonly quarantined: number;
  /** In a problem of it. */
  readonly says?: string;
}

const meta = '{"producer": "p", "version": "1"}';
const attributes = (jobs: string, more = '') =>
  `{"time": "2025-01-01T00:00:00+01:00", "cluster": "c", "node": "n", "system": {"cpus": [1]}, "jobs": ${jobs}${more}}`;
const envelope = (inner: string, tag = 'sample') =>
  `{"meta": ${meta}, "data": {"type": "${tag}", "attributes": ${inner}}}`;
const withUser = (user: string) =>
  envelope(attributes(`[{"job": 1, "user": ${user}, "epoch": 0, "processes": [{"pid": 1}]}]`));
const withProcess = (process: string) =>
  envelope(attributes(`[{"job": 1, "user": "u", "epoch": 0, "processes": [${process}]}]`));
const ok = withProcess('{"pid": 1}');
const errors = '[{"time": "2025-01-01T00:00:00Z", "detail": "d", "cluster": "c", "node": "n"}]';

const valid = { records: 1, refused: 0, hasWarnings: false, stored: 1, quarantined: 0 };
const warned = { ...valid, hasWarnings: true };
/** Breaks the text, and has one meaning. */
const taken = { ...valid, refused: 1 };
const unusable = { ...valid, refused: 1, stored: 0, quarantined: 1 };
const two = { ...valid, records: 2, stored: 2 };

export const edges: readonly Edge[] = [
  { name: 'ok', bytes: ok, ...valid },
  { name: 'empty_file', bytes: '', records: 0, refused: 0, hasWarnings: false, stored: 0, quarantined: 0 },
  { name: 'two_concat', bytes: ok + ok, ...two },
  { name: 'two_nl', bytes: `${ok}\n\n${ok}\n\n`, ...two },
  { name: 'array_wrapped', bytes: `[${ok}, ${ok}]`, ...two, refused: 1, says: '"[" between envelopes' },
  { name: 'comma_sep', bytes: `${ok},${ok}`, ...two, refused: 1, says: '"," between envelopes' },
  { name: 'bom', bytes: `\ufeff${ok}`, ...taken, says: 'a byte order mark' },
  { name: 'bad_time', bytes: ok.replace('2025-01-01T00:00:00+01:00', 'yesterday'), ...unusable, says: '"yesterday"' },
  { name: 'time_num', bytes: ok.replace('"2025-01-01T00:00:00+01:00"', '5'), ...unusable },
  { name: 'bad_utf8', bytes: Buffer.from(withUser('"ÿþ"'), 'latin1'), ...unusable, says: 'not UTF-8' },
  { name: 'lone_surrogate', bytes: withUser(String.raw`"\ud800"`), ...unusable, says: 'surrogate' },
  { name: 'ctrl_char', bytes: withUser('"a\tb"'), ...unusable },
  { name: 'empty_user', bytes: withUser('""'), ...taken, says: 'not empty' },
  { name: 'both', bytes: ok.replace(/}$/, `, "errors": ${errors}}`), ...unusable, says: 'data and errors' },
  { name: 'both_empty_errors', bytes: ok.replace(/}$/, ', "errors": []}'), ...valid },
  { name: 'neither', bytes: `{"meta": ${meta}}`, ...unusable, says: 'neither data nor errors' },
  { name: 'empty_object', bytes: '{}', ...unusable, says: 'neither data nor errors' },
  {
    name: 'data_null',
    bytes: `{"meta": ${meta}, "data": null, "errors": ${errors.replace(/2025[^"]*/, 't')}}`,
    ...unusable,
  },
  { name: 'data_null_else_right', bytes: `{"meta": ${meta}, "data": null, "errors": ${errors}}`, ...taken },
  {
    name: 'wrong_type_tag',
    bytes: ok.replace('"sample"', '"sysinfo"'),
    ...unusable,
    hasWarnings: true,
    says: 'system is no attribute of sysinfo',
  },
  { name: 'unknown_type_tag', bytes: ok.replace('"sample"', '"samples"'), ...unusable, says: '"samples"' },
  { name: 'big_u64', bytes: withProcess('{"pid": 18446744073709551615}'), ...valid },
  { name: 'big_over', bytes: withProcess('{"pid": 18446744073709551616}'), ...unusable },
  { name: 'neg_pid', bytes: withProcess('{"pid": -1}'), ...unusable },
  {
    name: 'cpus_neg',
    bytes: ok.replace('"cpus": [1]', '"cpus": [-1]'),
    ...unusable,
    says: 'data.attributes.system.cpus[0]',
  },
  { name: 'float_pid', bytes: withProcess('{"pid": 1.5}'), ...unusable },
  { name: 'float_int_pid', bytes: withProcess('{"pid": 1.0}'), ...taken },
  { name: 'exp_pid', bytes: withProcess('{"pid": 1e3}'), ...taken },
  { name: 'string_pid', bytes: withProcess('{"pid": "1"}'), ...unusable },
  { name: 'null_pid', bytes: withProcess('{"pid": null}'), ...warned },
  { name: 'null_jobs', bytes: envelope(attributes('null')), ...warned },
  { name: 'rolledup_neg', bytes: withProcess('{"rolledup": -3}'), ...warned },
  { name: 'nan_float', bytes: withProcess('{"cpu_avg": NaN}'), ...unusable },
  { name: 'huge_float', bytes: withProcess('{"cpu_avg": 1e400}'), ...unusable },
  { name: 'neg_float', bytes: withProcess('{"cpu_avg": -1.5}'), ...valid },
  { name: 'int_for_float', bytes: withProcess('{"cpu_avg": 3}'), ...valid },
  { name: 'dup_keys', bytes: withProcess('{"pid": 1, "pid": 2}'), ...warned, says: 'stands twice' },
  {
    name: 'case_fields',
    bytes: withProcess('{"PID": 1}').replace('"cluster"', '"Cluster"'),
    ...warned,
    says: 'the member cluster',
  },
  { name: 'unknown_field', bytes: envelope(attributes('[]', ', "zappa": 1')), ...warned, says: 'zappa' },
  { name: 'unknown_format', bytes: ok.replace('"version": "1"', '"version": "1", "format": 3'), ...warned },
  { name: 'nul_in_name', bytes: withProcess(String.raw`{"cmd": "a\u0000b"}`), ...valid },
  { name: 'job_0', bytes: envelope(attributes('[{"job": 0, "user": "u", "processes": []}]')), ...unusable },
  {
    name: 'good_then_bad_then_good',
    bytes: [ok, withProcess('{"pid": -1}'), ok].join('\n'),
    records: 3,
    refused: 1,
    hasWarnings: false,
    stored: 2,
    quarantined: 1,
  },
  {
    name: 'good_then_truncated',
    bytes: `${ok}\n${ok.slice(0, 60)}`,
    records: 2,
    refused: 1,
    hasWarnings: false,
    stored: 1,
    quarantined: 1,
    says: 'cut off',
  },
  {
    name: 'truncated_then_good_on_a_line',
    bytes: `${ok.slice(0, 60)}\n${ok}\n${ok}`,
    records: 3,
    refused: 1,
    hasWarnings: false,
    stored: 2,
    quarantined: 1,
    says: 'cut off',
  },
  {
    name: 'truncated_then_good_without_a_line_break',
    bytes: `${ok.replaceAll(' ', '').slice(0, 60)}${ok.replaceAll(' ', '')}\n${ok}`,
    records: 3,
    refused: 1,
    hasWarnings: false,
    stored: 2,
    quarantined: 1,
  },
  {
    name: 'truncated_in_a_string_then_good',
    bytes: `{"meta": {"producer": "p\n${ok}`,
    records: 2,
    refused: 1,
    hasWarnings: false,
    stored: 1,
    quarantined: 1,
  },
  {
    name: 'text_between',
    bytes: `# a comment\n${ok}\nError: no such file ${ok}`,
    records: 4,
    refused: 2,
    hasWarnings: false,
    stored: 2,
    quarantined: 2,
    says: 'text that is no envelope',
  },
  {
    name: 'deep_nesting',
    bytes: withProcess(`{"zappa": ${'['.repeat(100)}${']'.repeat(100)}}`),
    ...unusable,
    says: '64 levels',
  },
  {
    name: 'daemon_stdout',
    bytes: `{"topic":"c.sample",\n "key":"n",\n "client":"c/n",\n "value":${ok}\n}\n`,
    ...valid,
  },
  {
    name: 'kafka_proxy',
    bytes: `{"topic":"c.sample", "key":"n", "client":"c/n", "sasl-password":"secret", "data-size":${ok.length}}\n${ok}\n`,
    ...valid,
  },
];
