/** What a service of systemd runs, and for whom. */
export interface Unit {
  readonly isUser: boolean;
  /** Where it runs: what is named without a path stands there. */
  readonly folder: string;
  /** Program and arguments. */
  readonly command: readonly string[];
}

/**
 * A unit file for `torc-server run`.
 *
 * A refusal to start (exit codes 1 and 2) stays one, so it is not tried again; anything else is, after a while.
 */
export function unitText({ isUser, folder, command }: Unit): string {
  return `[Unit]
Description=Torc workflow server
${isUser ? '' : 'Wants=network-online.target\nAfter=network-online.target\n'}
[Service]
Type=exec
WorkingDirectory=${folder.replaceAll('%', '%%')}
ExecStart=${command.map(quoted).join(' ')}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=1 2
TimeoutStopSec=30
NoNewPrivileges=yes

[Install]
WantedBy=${isUser ? 'default.target' : 'multi-user.target'}
`;
}

/** A word as systemd reads it: % and $ stand for other things there, blanks and quotes divide. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./:=@,+%$-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
