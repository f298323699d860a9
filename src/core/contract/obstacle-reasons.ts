/**
 * Why a runner may not take a job, in the order in which reasons are reported: those that a user can change least come
 * first.
 */
export const obstacleReasons = ['labels', 'scheduler', 'cpus', 'memory', 'gpus', 'nodes', 'time', 'limit'] as const;
export type ObstacleReason = (typeof obstacleReasons)[number];
