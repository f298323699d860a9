import type { Shape } from './shape.ts';

/** An object of workflow files that has fields of its own. */
export interface Section {
  /** How a file reaches it: `jobs`, `resource_monitor.jobs`; `workflow` for the file itself. */
  readonly title: string;
  readonly shape: Shape<object>;
}

/** Every object of a workflow file, each once, where it occurs first. */
export function sectionsOf(root: Shape<unknown>): Section[] {
  const sections: Section[] = [];
  const visit = (shape: Shape<unknown>, path: readonly string[]): void => {
    if (shape.of !== undefined) visit(shape.of, path);
    if (shape.fields === undefined || sections.some((section) => section.shape === shape)) return;
    sections.push({ title: path.length === 0 ? 'workflow' : path.join('.'), shape: shape as Shape<object> });
    for (const [name, field] of Object.entries(shape.fields)) visit(field.shape, [...path, name]);
  };
  visit(root, []);
  return sections;
}
