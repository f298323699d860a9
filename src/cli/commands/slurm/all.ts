import type { Command } from '../../command/command.ts';
import { slurmAccounting } from './accounting.ts';
import { slurmGenerate } from './generate.ts';
import { planAllocationsCommand } from './plan-allocations.ts';
import { slurmParseLogs } from './parse-logs.ts';
import { slurmRegenerate } from './regenerate.ts';
import { slurmRecords } from './records.ts';
import { slurmScheduleNodes } from './schedule-nodes.ts';

export const slurmCommands: readonly Command[] = [
  ...slurmRecords,
  slurmScheduleNodes,
  ...slurmAccounting,
  slurmGenerate,
  slurmRegenerate,
  slurmParseLogs,
  planAllocationsCommand,
];
