import type { Command } from './command.ts';

/** What an argument is called in `words`, and a value that a person would type there. */
const values: Readonly<Record<string, string>> = {
  action: '3',
  'database...': 'torc_output/resource_utilization/*.db',
  file: 'sweep.yaml',
  'file...': 'samples.json',
  'file-or-workflow': 'workers.txt',
  group: '2',
  host: 'ada@node1',
  'host...': 'ada@node1 ada@node2',
  id: '7',
  'is-archived': 'true',
  job: 'train_3',
  'job...': 'train_3',
  name: 'kestrel',
  'output-dir': 'torc_output',
  'resource-requirements': 'small',
  run: '2',
  shell: 'bash',
  'spec-or-id': 'sweep.yaml',
  statement: '"select count(*) from job"',
  url: 'http://login1:8080/torc-service/v1',
  user: 'ada',
  'user-data': 'threshold',
  workflow: '1',
  'workflow...': '1',
};

/** Where more than the arguments is worth showing, or where options are required. By program and words. */
const chosen: Readonly<Record<string, string>> = {
  'torc create': 'sweep.yaml --dry-run',
  'torc run': 'sweep.yaml --max-parallel-jobs 4',
  'torc exec': "-c 'gzip {f}' --param 'f=[a.txt,b.txt]'",
  'torc jobs list': '1 --status failed',
  'torc jobs explain': 'train_3 -w 1',
  'torc jobs output': 'train_3 -w 1 --stderr',
  'torc jobs create': "1 --name extra --command 'python extra.py'",
  'torc jobs create-from-file': '1 commands.txt',
  'torc jobs spawn': 'more-jobs.json',
  'torc jobs update': 'train_3 -w 1 --priority 5',
  'torc jobs reset-status': '--workflow-id 1 --status failed --reinit',
  'torc results list': '1 --failed',
  'torc files create': '1 --name table --path results/table.csv',
  'torc files get': 'table -w 1',
  'torc files update': 'table -w 1 --path results/new.csv',
  'torc files delete': 'table -w 1',
  'torc user-data create': '1 --name threshold --data \'{"threshold": 7}\'',
  'torc user-data update': 'threshold -w 1 --data \'{"threshold": 8}\'',
  'torc events create': '1 --data \'{"note": "disk was full"}\'',
  'torc workflows new': '--name sweep',
  'torc workflows update': '1 --name renamed',
  'torc workflows reinit': '1 --dry-run',
  'torc workflows reset-status': '1 --failed-only --reinitialize',
  'torc workflows update-action': '1 3 --num-allocations 2',
  'torc workflows check-resources': '1 --include-failed',
  'torc workflows correct-resources': '1 --dry-run',
  'torc workflows export': '1 -o sweep.json',
  'torc workflows import': 'sweep.json --name copy',
  'torc slurm create': '1 --name small --account climate',
  'torc slurm update': '7 --account climate',
  'torc slurm generate': 'sweep.yaml --account climate',
  'torc slurm plan-allocations': 'sweep.yaml --account climate',
  'torc slurm stats': '1',
  'torc remote add-workers-from-file': 'workers.txt 1',
  'torc hpc match': '--cpus 36 --memory 100g --walltime 04:00:00',
  'torc resource-requirements create': '1 --name big --num-cpus 8 --memory 32g --runtime PT2H',
  'torc resource-requirements update': 'big -w 1 --memory 64g',
  'torc access-groups create': 'climate',
  'torc ro-crate create': "1 --entity-id table.csv --entity-type File --metadata '{}'",
  'torc ro-crate update': '7 --metadata \'{"license": "CC-BY-4.0"}\'',
  'torc ro-crate export': '1 -o ro-crate-metadata.json',
  'torc ro-crate add-dataset': '1 --name results --path results/',
  'torc sonar sample': '--load --exclude-system-jobs',
  'torc sonar jobs': '--cluster hpc.example.org --state told-jobs.json',
  'torc sonar cluster': '--cluster hpc.example.org',
  'torc sonar sysinfo': '--cluster hpc.example.org',
  'torc sonar ingest': 'data/ --add-clusters',
  'torc sonar export': '--node c1 --from 2h',
  'torc sonar clusters add': 'hpc.example.org',
  'torc sonar validate': 'samples.json',
  'torc plot-resources': 'torc_output/resource_utilization/*.db -o plots',
  'torc config init': '--user',
  'torc-server run': '--database torc.db',
  'torc-server service install': '--user',
  'torc-server export': '1 --database torc.db --output one.db',
  'torc-htpasswd add': '--file users.htpasswd ada',
  'torc-htpasswd hash': 'ada',
  'torc-htpasswd remove': '--file users.htpasswd ada',
  'torc-htpasswd list': '--file users.htpasswd',
  'torc-htpasswd verify': '--file users.htpasswd ada',
};

/** One command line that works for the command: its help and the reference page show it. `help.test.ts` reads each. */
export function exampleOf(program: string, { words, isDefault }: Pick<Command, 'words' | 'isDefault'>): string {
  const [, name = words, args = ''] = /^([a-z][\w -]*?)(?:\s+([<[].*))?$/.exec(words) ?? [];
  const typed =
    chosen[`${program} ${name}`] ??
    [...args.matchAll(/[<[]([\w.-]+)[\]>]/g)].map(([, argument = '']) => values[argument] ?? argument).join(' ');
  // The only command of a program is not named.
  const spoken = isDefault === true && program !== 'torc-server' ? '' : name;
  return [program, spoken, typed].filter((part) => part !== '').join(' ');
}
