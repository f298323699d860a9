import { template, type Template } from '../expand/template.ts';
import type { Axes } from '../expand/axes.ts';
import type { Family, Families } from '../expand/family.ts';
import type { FileSpec, UserDataSpec } from '../shape/workflow.ts';
import { isList, isMap, plainJson, type Value } from '../text/value.ts';
import type { PlannedFile, PlannedUserData } from './plan.ts';

/** Computes a value once for a family and uses it for each of its instances. */
export function perFamily<S, T>(make: (family: Family<S>) => T): (family: Family<S>) => T {
  const kept = new Map<Family<S>, T>();
  let last: { readonly family: Family<S>; readonly made: T } | undefined;
  return (family) => {
    if (last?.family === family) return last.made;
    const made = kept.get(family) ?? make(family);
    // A record without parameters is read once or twice; caching 100,000 of them gains nothing.
    if (family.axes !== undefined) kept.set(family, made);
    last = { family, made };
    return made;
  };
}

/** Writes the files of a plan. */
export class FileWriter {
  private readonly families: Families<FileSpec>;
  private readonly templates = perFamily(({ spec, axes }: Family<FileSpec>) => ({
    path: template(spec.path, axes),
    identifier: spec.identifier === undefined ? undefined : template(spec.identifier, axes),
  }));

  constructor(families: Families<FileSpec>) {
    this.families = families;
  }

  file(index: number): PlannedFile {
    const { family, combination } = this.families.at(index);
    const { path, identifier } = this.templates(family);
    return {
      name: family.name.render(combination),
      path: path.render(combination),
      identifier: identifier?.render(combination),
      stMtime: family.spec.st_mtime,
    };
  }

  path(index: number): string {
    const { family, combination } = this.families.at(index);
    return this.templates(family).path.render(combination);
  }
}

/** Writes the user data of a plan. */
export class UserDataWriter {
  private readonly families: Families<UserDataSpec>;
  private readonly data = perFamily(({ spec, axes }: Family<UserDataSpec>) => dataTemplate(spec.data ?? null, axes));

  constructor(families: Families<UserDataSpec>) {
    this.families = families;
  }

  userData(index: number): PlannedUserData {
    const { family, combination } = this.families.at(index);
    const value = this.value(index);
    return {
      name: family.spec.name === undefined ? undefined : family.name.render(combination),
      data: value === null ? undefined : plainJson(value),
      isEphemeral: family.spec.is_ephemeral ?? false,
    };
  }

  /** The data with each number as the file writes it; null if there is none. */
  value(index: number): Value {
    const { family, combination } = this.families.at(index);
    return this.data(family)(combination);
  }
}

/** Tokens are replaced in every text within the data, not in keys; a value that is one token stays a text. */
function dataTemplate(value: Value, axes: Axes | undefined): (combination: number) => Value {
  if (axes === undefined) return () => value;
  if (typeof value === 'string') {
    const text: Template = template(value, axes);
    return (combination) => text.render(combination);
  }
  if (isList(value)) {
    const items = value.map((item) => dataTemplate(item, axes));
    return (combination) => items.map((item) => item(combination));
  }
  if (!isMap(value)) return () => value;
  const fields = Object.entries(value).map(([key, item]) => [key, dataTemplate(item, axes)] as const);
  return (combination) => Object.fromEntries(fields.map(([key, item]) => [key, item(combination)]));
}
