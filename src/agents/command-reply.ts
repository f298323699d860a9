import { CommandFailed, type CommandReply } from './tool.ts';

interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The JSON that a command printed, with its messages beside it. Throws `CommandFailed`. */
export function replyOf(argv: readonly string[], { exitCode, stdout, stderr }: Printed): CommandReply {
  const reply = stdout.trim() === '' ? undefined : (JSON.parse(stdout) as CommandReply);
  const notices = stderr.trim();
  if (exitCode !== 0)
    throw new CommandFailed(notices === '' ? `torc ${argv[0]} ended with ${exitCode}` : notices, reply);
  return { ...reply, ...(notices === '' ? {} : { notices: notices.split('\n') }) };
}
