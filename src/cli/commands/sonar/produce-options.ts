import { type Compat, parseCompat } from '../../../core/contract/sonar/compat.ts';
import { UsageError } from '../../command/failure.ts';
import { option, optionsOf } from '../../command/option.ts';

/** Options of every command that reports on this node or its cluster, as Sonar has them. */
export const originOptions = optionsOf([
  option(
    '--cluster <name>',
    'canonical name of the cluster (default: SLURM_CLUSTER_NAME, or else the name of this node)',
  ),
  option('--hostname-only', 'cut the name of this node at its first dot'),
  option(
    '--compat <choices>',
    'where producers differ, write as these choices say: NAME=CHOICE,…; or "text" to follow the text of the format',
    { read: compat },
  ),
  option('--json', 'accepted for compatibility; the result is always JSON', { isHidden: true }),
]);

function compat(text: string): Compat {
  const chosen = parseCompat(text);
  if (typeof chosen === 'string') throw new UsageError(`--compat: ${chosen}`);
  return chosen;
}
