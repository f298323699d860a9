import type { Command } from '../../command.ts';
import { importSlurmArray } from './slurm-array.ts';

export const importCommands: readonly Command[] = [importSlurmArray];
