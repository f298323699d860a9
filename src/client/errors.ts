import { anotherProgram } from './another-program.ts';

export interface Response {
  readonly status: number;
  readonly text: string;
  /** Where a redirect leads to. */
  readonly location?: string | undefined;
}

/** There was no reply, so it is unknown whether the request was executed. */
export class Unreachable extends Error {
  /** What a person can do about it, where the cause says so. */
  readonly remedy: string | undefined;
  /** No server will reply: waiting is useless. */
  readonly isForGood: boolean;

  constructor(message: string, options?: { cause?: unknown; remedy?: string | undefined; isForGood?: boolean }) {
    super(message, options);
    this.name = 'Unreachable';
    this.remedy = options?.remedy;
    this.isForGood = options?.isForGood === true;
  }
}

/** A record that a request named, and that the service does not have. */
export interface MissingRecord {
  /** As the service names it: `workflow`, `slurm_scheduler`. */
  readonly kind: string;
  readonly id: string;
}

/**
 * The service refused or failed. `code` is the refusal's code, if the reply contained one.
 *
 * The message is for a person: the explanation of the service alone. Only a failure, and the reply of another program,
 * name the request and the status, because nothing else says what happened.
 */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly text: string;
  readonly missing: MissingRecord | undefined;

  constructor(doing: string, response: Response, options: { refused?: string; remedy?: string } = {}) {
    const { status, text } = response;
    const reported = reportedBy(text);
    const another = anotherProgram(response);
    const missing = status === 404 ? missingIn(reported) : undefined;
    super(options.refused ?? (missing === undefined ? sentenceOf(doing, response, reported) : noneWords(missing)));
    this.name = 'ServiceError';
    this.status = status;
    this.code = reported.code;
    this.remedy = options.remedy ?? reported.remedy ?? (another === undefined ? REMEDIES : PROXY_REMEDIES)[status];
    this.text = text;
    this.missing = missing;
  }
}

/** For replies without a remedy, from a login check of the server. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'Log in: set TORC_USERNAME and TORC_PASSWORD, or give --prompt-password.',
};

const NO_SERVER = 'The proxy is there, and the server behind it does not answer: see whether it runs, and its log.';

/** For pages of a program in front of the server. */
const PROXY_REMEDIES: Readonly<Record<number, string>> = {
  ...REMEDIES,
  403: 'A rule of the proxy, or of a filter of your site, refuses the request.',
  404: 'Compare the path of the URL (--url, TORC_API_URL) with the configuration of the proxy.',
  407: 'A proxy of your site requires a login: the server is usually reached without it.',
  413: 'The limit is one of the proxy (nginx: client_max_body_size), not of the server.',
  429: 'The proxy limits how many requests it takes.',
  502: NO_SERVER,
  503: NO_SERVER,
  504: NO_SERVER,
};

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  407: 'Proxy Authentication Required',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

interface Reported {
  readonly message?: string;
  readonly code?: string;
  readonly remedy?: string;
}

/** `Task not found`, `Worker 'a' not found for workflow 7`. */
const NOT_FOUND = /\bnot found\b/;

function sentenceOf(doing: string, response: Response, { message }: Reported): string {
  const { status, text } = response;
  if (message !== undefined && status < 500) return status === 404 ? message.replace(NOT_FOUND, '$& (404)') : message;
  if (status === 401) return 'the server refused the login';
  const reason = REASONS[status];
  const replied = `replied ${status}${reason === undefined ? '' : ` ${reason}`}`;
  const another = anotherProgram(response);
  if (another !== undefined) return `${doing}: a program in front of the server ${replied}: ${another}`;
  const explained = message ?? (text.trim() === '' ? 'no explanation' : text.slice(0, 500));
  return `${doing}: the server ${replied}: ${explained}`;
}

/** Of this server and of Torc's own: `Workflow not found with ID: 7`, `Resource not found in file with ID: 7`. */
const MISSING = /^(?:Resource not found in (?<table>\w+)|(?<what>[A-Z]\w+) not found) with ID: (?<id>\d+)$/;

function missingIn({ message = '' }: Reported): MissingRecord | undefined {
  const { table, what, id } = MISSING.exec(message)?.groups ?? {};
  const kind = table ?? what?.toLowerCase();
  return kind === undefined || id === undefined ? undefined : { kind, id };
}

/** Kinds whose name in the database is not their name in a sentence. */
const NAMES: Readonly<Record<string, string>> = {
  slurm_scheduler: 'Scheduler',
  scheduled_compute_node: 'allocation (scheduled compute node)',
  user_data: 'user data record',
  resource_requirements: 'record of resource requirements',
  ro_crate_entity: 'RO-Crate entity',
};

/** With the words and the status that scripts of Torc look for. */
const noneWords = ({ kind, id }: MissingRecord) =>
  `${NAMES[kind] ?? kind.replaceAll('_', ' ')} ${id} was not found (404)`;

function reportedBy(text: string): Reported {
  try {
    const { error } = JSON.parse(text) as { error?: Reported };
    if (typeof error?.message === 'string') return error;
  } catch {
    // Not JSON: a proxy or another program replied; its text is the only information.
  }
  return {};
}
