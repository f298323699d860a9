/** One job as `snakemake --dry-run --printshellcmds` of version 9 prints it. */
export const printedJob = (
  rule: string,
  fields: Readonly<Record<string, string>>,
  shell: string,
  kind = 'rule',
): string =>
  [
    '[Wed Nov 25 23:12:09 2026]',
    `${kind} ${rule}:`,
    ...Object.entries(fields).map(([name, value]) => `    ${name}: ${value}`),
    `Shell command: ${shell}`,
    '',
  ].join('\n');
