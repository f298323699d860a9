/** The programs that run containers of jobs. */
export const containerRuntimes = ['apptainer', 'podman', 'docker'] as const;
export type ContainerRuntime = (typeof containerRuntimes)[number];
