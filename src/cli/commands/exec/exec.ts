import { readUserText } from '../../../operations/create/read-user-text.ts';
import type { Axes } from '../../../core/workflow-file/expand/axes.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../command/failure.ts';
import { integerOption, option, optionsOf, type ValuesOf } from '../../command/option.ts';
import type { Output } from '../../output/output.ts';
import { reportPreparation } from '../../output/preparation.ts';
import { initialize } from '../../../operations/run/initialize.ts';
import { readCommands, readInput } from '../../terminal/read-input.ts';
import { holdSignals } from '../../terminal/held-signals.ts';
import { beginMessages } from '../../notify/begin.ts';
import { notifyOptions } from '../../notify/receivers.ts';
import { labelsOf, runnerOptions, runWorkflow } from '../../run/run-workflow.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { makeOutputFolder } from '../../run/output-folder.ts';

/** The levels of monitoring, and their names in workflow files. */
const levels = { off: 'off', summary: 'summary', 'time-series': 'time_series' } as const;
const levelNames = ['off', 'summary', 'time-series'] as const;

const options = optionsOf([
  option('-n, --name <name>', 'name of the workflow (default exec_ and the time)'),
  option('--description <text>', 'description of the workflow'),
  option('-c, --command <command>', 'a command; may be repeated', { many: true }),
  option(
    '-C, --commands-file <file>',
    'file with a command a line, "-" for standard input; blank lines and # comments are skipped',
  ),
  option(
    '--param <name=value>',
    'a parameter of the commands: a range 1:10, a list [a,b], @file or @- (standard input) with a value a line, or one value; repeat for more',
    { many: true },
  ),
  option('--link <mode>', 'combine the parameters as a product, or their values pairwise', {
    default: 'product',
    choices: ['product', 'zip'],
  }),
  ...runnerOptions,
  ...notifyOptions,
  option(
    '-k, --keep-order',
    'print what the jobs write to their standard output, in the order of the list, as they end',
  ),
  option('--dry-run', 'print the workflow as JSON and run nothing'),
  option('--monitor <level>', 'monitoring of jobs', { default: 'summary', choices: levelNames }),
  option('--monitor-compute-node <level>', 'monitoring of this machine', { default: 'off', choices: levelNames }),
  option('--generate-plots', 'draw plots of the measurements'),
  option('-i, --sample-interval-seconds <s>', 'seconds between samples', {
    read: integerOption(1),
  }),
  option('--timeout <duration>', 'longest time that each command may run, such as 2h, 90s or PT2H'),
  option('--stdio <mode>', 'which output files are kept', {
    choices: ['separate', 'combined', 'no-stdout', 'no-stderr', 'none'],
  }),
]);

type ExecValues = ValuesOf<typeof options>;

export const exec = command('exec [command...]', {
  says: 'Run commands as a workflow: from options, a file, or after "--"; with parameters, once for each combination.',
  example: "-c 'gzip {f}' --param 'f=[a.txt,b.txt]'",
  makesDatabase: true,
  more: 'Exits with 1 when any of them failed.\n\n{name} in a command is replaced by the value of the parameter, which the shell then reads; {name:q} passes the value as one word, unchanged, also when it has blanks, quotes or $. Values from standard input (@-) are always passed so. {name:03d} pads a number. Jobs are named job1, job2 and so on, followed by the values: job2_b.txt. With --label the jobs have these labels as well as the runner, so only runners with them take the jobs.\n\n  torc -s exec -c "echo {i}" --param i=1:3\n  torc -s exec -k -c "wc -l {f}" --param f=@names.txt\n  ls *.txt | torc -s exec -c "gzip -k {f}" --param f=@-\n  torc -s exec -C commands.txt -j 8\n  torc -s exec -- python train.py --epochs 3',
  trailing: true,
  inMemory: true,
  options,
  async run(context, [trailing], options) {
    const { output, settings } = context;
    const { execSpec } = await import('./spec.ts');
    const commands = await commandsOf(context, trailing ?? [], options);
    const measured = measuredBy(options);
    refuseOrder(options, output);
    const axes = await axesOf(options, commands, output);
    const spec = execSpec(
      {
        name: options.name ?? `exec_${stamp(new Date())}`,
        description: options.description,
        commands,
        ...measured,
        stdio: options.stdio,
        timeout: options.timeout,
        labels: labelsOf(options),
      },
      axes,
    );
    if (options.dryRun === true) {
      if (settings.standalone) output.warn('--standalone has no effect for this command; ignoring.');
      output.text(JSON.stringify(spec, undefined, 2));
      return;
    }

    const { planHere } = await import('../../../operations/create/create.ts');
    const { acceptedPlan, createAndReport } = await import('../../spec/read-spec.ts');
    const plan = await acceptedPlan(context, planHere(spec, 'exec', { maxJobs: settings.maxJobs }), {
      skipChecks: true,
    });
    makeOutputFolder(context, options.outputDir);
    const { client } = await context.service();
    const id = await createAndReport(context, plan, { monitorsJobs: false });
    // Before the workflow is printed: a user who sees it may press Ctrl-C at once.
    const held = holdSignals();
    output.notice(`Created workflow ${id}`);
    await initialize(client, id, { force: false, report: reportPreparation(output) });

    // Before the run, because afterwards the server may have stopped.
    const workflow = await client.getWorkflow({ params: { id } });
    const printer =
      options.keepOrder === true
        ? (await import('./keep-order.ts')).keepOrder({
            workflow: { ...workflow, id },
            count: plan.jobs.length,
            outputDir: options.outputDir,
            output,
            exitWith: context.exitWith,
          })
        : undefined;
    const endMessages = await beginMessages(context, { client, workflowId: id, given: options.notify });
    const summary = await runWorkflow(context, id, options, undefined, printer?.begin, held);
    await printer?.finish(client, summary);
    const { endRun } = await import('../../run/end-of-run.ts');
    const isGood = await endRun(context, {
      client,
      workflow: { ...workflow, id },
      summary,
      options,
      failsWithJobs: true,
    });
    await endMessages();
    const { failed, terminated } = summary.tally;
    output.jsonLine({
      workflow_id: id,
      status: isGood ? 'completed' : 'failed',
      had_failures: failed > 0,
      had_terminations: terminated > 0,
    });
  },
});

async function commandsOf(context: Context, trailing: readonly string[], options: ExecValues): Promise<string[]> {
  const { quoted } = await import('./spec.ts');
  const given = options.command ?? [];
  const file = options.commandsFile;
  const listed = file === undefined ? [] : readCommands(file);
  refuseBareWords(trailing, context.hint);
  const commands = [...given, ...listed, ...(trailing.length === 0 ? [] : [quoted(trailing)])];
  if (commands.length > 0) return commands;
  // As Torc 1.0.0 does it: scripts try in this way whether a standalone server starts.
  if (context.settings.standalone && options.dryRun !== true) await context.service();
  throw new UsageError('no commands provided: use -c COMMAND, -C FILE, or torc exec -- <command>');
}

/** Output of jobs is no JSON, and what is not kept cannot be printed. */
function refuseOrder({ keepOrder, stdio, dryRun }: ExecValues, { format }: Output): void {
  if (keepOrder !== true || dryRun === true) return;
  if (format !== 'table')
    throw new UsageError(`--keep-order prints what the jobs write; it cannot be had as ${format}`);
  if (stdio === 'none' || stdio === 'no-stdout')
    throw new UsageError(`--keep-order needs the standard output of the jobs, which --stdio ${stdio} does not keep`);
}

/** The parameters and their values; what is probably not meant is said as a warning. */
async function axesOf(options: ExecValues, commands: readonly string[], output: Output): Promise<Axes> {
  const parameters = options.param ?? [];
  const { INPUT } = await import('./parameter.ts');
  const readers = parameters.filter((text) => INPUT.test(text.slice(text.indexOf('=') + 1).trim()));
  if (readers.length + Number(options.commandsFile === '-') > 1)
    throw new UsageError('standard input can be read only once: it is named by more than one of --param and -C');
  const { execAxes } = await import('./spec.ts');
  const { execWarnings } = await import('./warnings.ts');
  const axes = execAxes({
    parameters,
    link: options.link,
    sources: {
      readFile: readUserText,
      readInput: () => readInput('-', 'a list of values'),
    },
  });
  for (const warning of execWarnings(commands, axes)) output.warn(warning);
  return axes;
}

/** Words without "--" before them are an error whose cause can be guessed. */
function refuseBareWords(trailing: readonly string[], hint: Context['hint']): void {
  const [first] = trailing;
  if (first === undefined || process.argv.includes('--')) return;
  if (/\.(ya?ml|json5?|kdl)$/i.test(first)) {
    const plain = `torc run ${shellWord(first)}`;
    const here = hint(plain);
    throw new UsageError(
      `'${first}' looks like a workflow spec file; to run it: ${plain}${here === plain ? '' : `, with the options given here: ${here}`}`,
    );
  }
  throw new UsageError(
    `unexpected trailing argument(s): ${trailing.join(' ')}; to run them as a command: torc exec -- <command>`,
  );
}

function measuredBy({ monitor, monitorComputeNode, generatePlots = false, sampleIntervalSeconds }: ExecValues) {
  if (generatePlots && monitor !== 'time-series' && monitorComputeNode !== 'time-series') {
    throw new UsageError('--generate-plots requires --monitor time-series or --monitor-compute-node time-series');
  }
  return {
    monitor: levels[monitor],
    monitorNode: levels[monitorComputeNode],
    generatePlots,
    sampleIntervalSeconds,
  };
}

/** `20261121_140509`. */
function stamp(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}_${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}
