/** The program of a systemd service, and its user. */
export interface Unit {
  readonly isUser: boolean;
  /** The working directory: relative paths refer to it. */
  readonly folder: string;
  /** Program and arguments. */
  readonly command: readonly string[];
}

/**
 * A unit file for `torc-server run`.
 *
 * A refusal to start (exit codes 1 and 2) is permanent, so it is not retried; anything else is, after a pause.
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

/** A word in systemd's notation: % and $ have other meanings there, blanks and quotes separate words. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./:=@,+%$-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
