import { connection } from '../connection.ts';

/** What the page uses of the answers of telemetry (`GET /sonar/show/QUESTION`). Percentages of nodes are of all their cores. */
export interface Cluster {
  readonly name: string;
  readonly nodes: number;
  readonly newest: string | null;
}

export interface LoadStep {
  readonly node: string;
  readonly time: string;
  readonly samples: number;
  readonly cores: number;
  readonly cpu_of_node_percent?: number | null;
  readonly memory_of_node_percent: number | null;
  readonly used_memory_kb: number;
  readonly load1: number;
  readonly cards: number;
  readonly gpu_percent: number | null;
}

export interface NodeFacts {
  readonly node: string;
  readonly cores: number;
  readonly memory_kb: number;
  readonly cards: number;
  readonly model: string;
  readonly system: string;
  readonly states: readonly string[];
  readonly partitions: readonly string[];
  readonly sampled: string | null;
}

export interface JobUse {
  readonly job: number;
  readonly epoch: number;
  readonly user: string;
  readonly nodes: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly commands: readonly string[];
  readonly cpu_seconds: number;
  readonly cpu_percent: number;
  readonly peak_memory_kb: number;
  readonly cards: readonly string[];
  readonly gpu_percent: number;
  readonly state: string;
  readonly name: string;
}

export interface ProfileStep {
  readonly time: string;
  readonly node: string;
  readonly processes: number;
  readonly cpu_percent: number;
  readonly memory_kb: number;
  readonly gpu_percent: number;
  readonly gpu_memory_kb: number;
}

export interface ProcessUse {
  readonly node: string;
  readonly pid: string;
  readonly cmd: string;
  readonly depth: number;
  readonly first: string;
  readonly last: string;
  readonly cpu_seconds: number;
  readonly peak_memory_kb: number;
}

export interface Attempt {
  readonly cluster: string;
  readonly workflow: number;
  readonly workflow_job: number;
  readonly run: number;
  readonly attempt: number;
}

export interface Profile {
  readonly every_seconds: number;
  readonly steps: readonly ProfileStep[];
  readonly processes?: readonly ProcessUse[];
  readonly attempts: readonly Attempt[];
}

/** The part of the time of which only figures of hours are left. */
interface Answer {
  readonly hourly?: { readonly from: string; readonly until: string };
}

interface Answers {
  readonly clusters: { readonly items: readonly Cluster[] };
  readonly load: { readonly items: readonly LoadStep[] };
  readonly nodes: { readonly items: readonly NodeFacts[] };
  readonly jobs: { readonly items: readonly JobUse[] };
  readonly profile: Profile;
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Asks telemetry a question. Throws the refusal. */
export const ask = <Q extends keyof Answers>(question: Q, parameters: Parameters = {}): Promise<Answers[Q] & Answer> =>
  connection.ask(`/sonar/show/${question}`, parameters) as Promise<Answers[Q] & Answer>;
