import type { Command } from '../../command.ts';
import { importMake } from './make.ts';
import { importSlurmArray } from './slurm-array.ts';

export const importCommands: readonly Command[] = [importMake, importSlurmArray];
