import { KnownJob, KnownWorkflow } from '../known.ts';
import { ofId, route, workflowRoute } from './route.ts';

/** What is known of a job and of a workflow, each in one answer (additions). */
export const factRoutes = {
  getKnownWorkflow: workflowRoute('GET', '/workflows/{id}/known', 'read', {
    says: 'What the jobs of a workflow run on: schedulers, hosts, actions, active runners and open allocations (addition).',
    reply: KnownWorkflow,
  }),
  getKnownJob: route('GET', '/jobs/{id}/known', 'own', 'workflow of job', {
    says: 'What is known of a job: its requirements, the jobs that it waits for, its attempts of all runs, and what it can run on (addition).',
    params: ofId,
    reply: KnownJob,
  }),
};
