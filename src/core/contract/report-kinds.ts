/** Standing reports: who uses what, and what should not be there. */
export const reportKinds = ['users', 'commands', 'hogs', 'idle-gpu', 'zombies', 'greedy'] as const;
export type ReportKind = (typeof reportKinds)[number];
