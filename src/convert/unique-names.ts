/**
 * Gives each thing a name for a workflow file: of a path or a title the letters, digits, dots, dashes and underscores, others
 * become `_`. The second thing with the same name gets `_2`.
 */
export function uniqueNames(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const base = text.replaceAll(/[^\w.+-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'job';
    let name = base;
    for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
    taken.add(name);
    return name;
  };
}
