import type { TelemetryHours } from '../../core/contract/telemetry.ts';
import type { ComponentChildren } from 'preact';
import { clusterPath } from './paths.ts';

/** Where a view of telemetry is, what it is about, and what stands beside it. */
export function Frame({
  cluster,
  shown,
  title,
  children,
}: {
  readonly cluster: string;
  /** One of the lists of a cluster; undefined for one of their entries. */
  readonly shown?: 'nodes' | 'jobs';
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/telemetry">Telemetry</a> {shown === undefined && <a href={`#${clusterPath(cluster)}`}>{cluster}</a>}
      </nav>
      <div class="heading">
        <h1 class="name">{title}</h1>
        {children}
      </div>
      <nav aria-label="Views of the cluster" class="tabs">
        <a href={`#${clusterPath(cluster)}`} aria-current={shown === 'nodes' ? 'page' : undefined}>
          Nodes
        </a>
        <a href={`#${clusterPath(cluster)}/jobs`} aria-current={shown === 'jobs' ? 'page' : undefined}>
          Jobs
        </a>
      </nav>
    </>
  );
}

/** A part of the time has lost its samples. */
export function Hourly({ hourly }: { readonly hourly?: TelemetryHours | undefined }) {
  if (hourly === undefined) return null;
  return (
    <p class="note">
      From {new Date(hourly.from).toLocaleString()} to {new Date(hourly.until).toLocaleString()} only hourly figures are
      kept.
    </p>
  );
}

export const roundPercentText = (value: number | null | undefined): string =>
  typeof value === 'number' ? `${Math.round(value)} %` : '–';
