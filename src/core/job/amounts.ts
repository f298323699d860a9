/**
 * Names that limits count: what jobs hold while they run, and how much of each may be held at a time.
 *
 * `licenses: {matlab: 1}` of a job, or of its requirements, is what it holds from its claim until its attempt has ended. `limits: {matlab: 4}` of
 * a workflow, of the users of a server or of a server bounds the sum. Every job holds four others, by its requirements: `jobs`, `cores`, `gpus`
 * and `nodes`. The jobs of an entry of a workflow file with `max_running: 6` hold one of a limit of their own.
 */
export type Amounts = Readonly<Record<string, number>>;

/** What every job holds: no license has one of these names. */
const COUNTED: ReadonlySet<string> = new Set(['jobs', 'cores', 'gpus', 'nodes']);

const FAMILY = 'family:';
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}$/;
/** Too few, and a real job is refused; too many, and each claim compares thousands of names. */
const MOST_NAMES = 32;

/** The limit that the jobs of one entry of a workflow file share: `family:train_{lr}`. */
export const familyLimit = (entryName: string): string => FAMILY + entryName;

/** The name of the entry; undefined for other limits. */
export const entryOfLimit = (name: string): string | undefined =>
  name.startsWith(FAMILY) ? name.slice(FAMILY.length) : undefined;

/** What is wrong with the licenses of a job or of requirements; undefined if nothing is. */
export function licensesFault(licenses: Amounts | null | undefined): string | undefined {
  const entries = Object.entries(licenses ?? {});
  if (entries.length > MOST_NAMES) return `licenses has ${entries.length} names; at most ${MOST_NAMES} are counted`;
  for (const [name, amount] of entries) {
    if (COUNTED.has(name))
      return `licenses names '${name}', which every job holds by its requirements; choose another name`;
    const fault = nameFault('licenses', name) ?? amountFault('licenses', name, amount);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What is wrong with limits; undefined if nothing is. */
export function limitsFault(limits: Amounts | null | undefined): string | undefined {
  for (const [name, amount] of Object.entries(limits ?? {})) {
    const fault = nameFault('limits', name) ?? amountFault('limits', name, amount);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function nameFault(field: string, name: string): string | undefined {
  if (name === 'memory' || name === 'cpus')
    return `${field} names '${name}'; ${name === 'cpus' ? "the number of CPUs in use is called 'cores'" : 'memory is not limited across machines'}`;
  const entry = entryOfLimit(name);
  if (entry === undefined ? NAME.test(name) : entry !== '') return undefined;
  return `${field} has the invalid name ${JSON.stringify(name)}: expected letters, digits and _ . @ + -, at most 64`;
}

const amountFault = (field: string, name: string, amount: number) =>
  Number.isInteger(amount) && amount >= 0
    ? undefined
    : `${field}.${name} must be a whole number of 0 or more, got ${amount}`;

/**
 * What a job holds by name: its own licenses, and those of its requirements that it does not name itself. With 0 a job holds none of what its
 * requirements name.
 */
export function heldLicenses(
  own: Amounts | null | undefined,
  ofRequirements: Amounts | null | undefined,
): Record<string, number> {
  const all = { ...ofRequirements, ...own };
  return Object.fromEntries(Object.entries(all).filter(([, amount]) => amount > 0));
}
