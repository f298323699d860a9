import type { Command } from '../../command.ts';
import { importMake } from './make.ts';
import { importCwl } from './cwl.ts';
import { importSlurmArray } from './slurm-array.ts';
import { importSnakemake } from './snakemake.ts';

export const importCommands: readonly Command[] = [importMake, importSnakemake, importCwl, importSlurmArray];
