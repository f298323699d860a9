import { GIT_HASH, VERSION } from '../../core/contract/version.ts';

/**
 * What `--version` of a program prints: name and version, as in Torc 1.0.0, and behind them what a report about a fault needs.
 *
 * Of a checkout the commit is unknown, because sources can differ from it.
 */
export const versionText = (program: string): string =>
  `${program} ${VERSION} (commit ${GIT_HASH}, Node ${process.versions.node}, SQLite ${process.versions['sqlite']})`;
