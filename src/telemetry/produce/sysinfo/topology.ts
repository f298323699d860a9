import { runHelper } from '../../../cluster/exec.ts';
import { programOn } from '../../../cluster/program-on.ts';

/** Commands that print the topology of the node, as words separated by blanks; empty for none. */
export interface TopologyCommands {
  /** Undefined: `lstopo`, where it is installed. */
  readonly svg: string | undefined;
  readonly text: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const AT_MOST_MS = 5_000;

/** The topology in base64; empty where there is no command, or where it failed. */
export async function topologyBy(
  { svg, text }: TopologyCommands,
  environment: Environment,
  onProblem: (problem: string) => void,
): Promise<{ svg: string; text: string }> {
  const run = async (command: string) => {
    const [program, ...args] = command.trim().split(/\s+/);
    if (program === undefined || program === '') return '';
    try {
      const printed = await runHelper(program, args, { atMostMs: AT_MOST_MS, environment });
      return Buffer.from(printed).toString('base64');
    } catch (error) {
      onProblem(`no topology: ${(error as Error).message}`);
      return '';
    }
  };
  const drawing = svg ?? (programOn(environment['PATH'], 'lstopo') !== undefined ? 'lstopo --of svg' : '');
  const [asSvg, asText] = await Promise.all([run(drawing), run(text ?? '')]);
  return { svg: asSvg, text: asText };
}
