import type { JobDependency, JobFileRelationship, JobUserDataRelationship } from '../../core/contract/job.ts';
import type { Command } from '../command/command.ts';
import type { Column } from '../output/table.ts';
import { rangeOptions } from '../records/paging.ts';
import { listCommand } from '../records/record-commands.ts';

type Relationship = Pick<
  JobFileRelationship,
  'producer_job_id' | 'producer_job_name' | 'consumer_job_id' | 'consumer_job_name'
>;

const producerAndConsumer: readonly Column<Relationship>[] = [
  { title: 'Producer Job ID', value: ({ producer_job_id: job }) => job, align: 'right', importance: 4 },
  { title: 'Producer Job Name', value: ({ producer_job_name: name }) => name, cut: 'middle', importance: 8 },
  { title: 'Consumer Job ID', value: ({ consumer_job_id: job }) => job, align: 'right', importance: 4 },
  { title: 'Consumer Job Name', value: ({ consumer_job_name: name }) => name, cut: 'middle', importance: 8 },
];

export const jobDependencyCommands: readonly Command[] = [
  listCommand('job-dependencies job-job', {
    says: 'List the dependencies between jobs.',
    things: 'job dependencies',
    options: rangeOptions,
    columns: [
      { title: 'Job ID', value: ({ job_id: job }: JobDependency) => job, align: 'right', importance: 4 },
      { title: 'Job Name', value: ({ job_name: name }: JobDependency) => name, cut: 'middle', importance: 8 },
      {
        title: 'Blocked By Job ID',
        value: ({ depends_on_job_id: job }: JobDependency) => job,
        align: 'right',
        importance: 4,
      },
      {
        title: 'Blocked By Job Name',
        value: ({ depends_on_job_name: name }: JobDependency) => name,
        cut: 'middle',
        importance: 8,
      },
    ],
    page: (client, id, _options, paging) => client.listJobDependencies({ params: { id }, query: paging }),
  }),
  listCommand('job-dependencies job-file', {
    says: 'List which job produces which file for which job.',
    things: 'job-file relationships',
    options: rangeOptions,
    columns: [
      { title: 'File ID', value: ({ file_id: file }: JobFileRelationship) => file, align: 'right', importance: 4 },
      { title: 'File Name', value: ({ file_name: name }: JobFileRelationship) => name, cut: 'middle', importance: 8 },
      ...producerAndConsumer,
    ],
    page: (client, id, _options, paging) => client.listJobFileRelationships({ params: { id }, query: paging }),
  }),
  listCommand('job-dependencies job-user-data', {
    says: 'List which job produces which user data for which job.',
    things: 'job-user-data relationships',
    options: rangeOptions,
    columns: [
      {
        title: 'User Data ID',
        value: ({ user_data_id: record }: JobUserDataRelationship) => record,
        align: 'right',
        importance: 4,
      },
      {
        title: 'User Data Name',
        value: ({ user_data_name: name }: JobUserDataRelationship) => name,
        cut: 'middle',
        importance: 8,
      },
      ...producerAndConsumer,
    ],
    page: (client, id, _options, paging) => client.listJobUserDataRelationships({ params: { id }, query: paging }),
  }),
];
