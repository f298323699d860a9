import type { FileFate } from '../check/fates.ts';
import { templateOf, type Template } from '../expand/template.ts';
import type { Axes } from '../expand/axes.ts';
import type { SpecFamily, SpecFamilies } from '../expand/family.ts';
import type { FileSpec, UserDataSpec } from '../shape/workflow.ts';
import { isList, isMap, plainJson, type Value } from '../text/value.ts';
import type { PlannedFile, PlannedUserData } from './plan.ts';

/** Computes a value once for a family and uses it for each of its instances. */
export function perFamily<S, T>(make: (family: SpecFamily<S>) => T): (family: SpecFamily<S>) => T {
  const kept = new Map<SpecFamily<S>, T>();
  let last: { readonly family: SpecFamily<S>; readonly made: T } | undefined;
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
  private readonly families: SpecFamilies<FileSpec>;
  private readonly fateOf: (file: number) => FileFate;
  private readonly templates = perFamily(({ spec, axes }: SpecFamily<FileSpec>) => ({
    path: templateOf(spec.path, axes),
    identifier: spec.identifier === undefined ? undefined : templateOf(spec.identifier, axes),
  }));

  constructor(families: SpecFamilies<FileSpec>, fateOf: (file: number) => FileFate) {
    this.families = families;
    this.fateOf = fateOf;
  }

  file(index: number): PlannedFile {
    const { family, combination } = this.families.at(index);
    const { path, identifier } = this.templates(family);
    return {
      name: family.name.render(combination),
      path: path.render(combination),
      identifier: identifier?.render(combination),
      stMtime: family.spec.st_mtime,
      fate: this.fateOf(index),
    };
  }

  path(index: number): string {
    const { family, combination } = this.families.at(index);
    return this.templates(family).path.render(combination);
  }
}

/** Writes the user data of a plan. */
export class UserDataWriter {
  private readonly families: SpecFamilies<UserDataSpec>;
  private readonly data = perFamily(({ spec, axes }: SpecFamily<UserDataSpec>) =>
    dataTemplate(spec.data ?? null, axes),
  );

  constructor(families: SpecFamilies<UserDataSpec>) {
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
    const text: Template = templateOf(value, axes);
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
