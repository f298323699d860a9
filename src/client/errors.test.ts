import { expect, it } from 'vitest';
import { ServiceError } from './errors.ts';

const refused = (status: number, text: string) => new ServiceError('list jobs', { status, text });
const withMessage = (status: number, message: string) => refused(status, JSON.stringify({ error: { message } }));

it('a refusal is reported with its explanation alone, its code and its remedy', () => {
  const text = JSON.stringify({ error: { message: 'the job runs', code: 'STATUS_REFUSED', remedy: 'Look again.' } });
  expect(refused(422, text)).toMatchObject({ message: 'the job runs', code: 'STATUS_REFUSED', remedy: 'Look again.' });
});

it.each([
  ['Workflow not found with ID: 77', { kind: 'workflow', id: '77' }, 'workflow 77 was not found (404)'],
  [
    'Resource not found in compute_node with ID: 7',
    { kind: 'compute_node', id: '7' },
    'compute node 7 was not found (404)',
  ],
  [
    'Resource not found in slurm_scheduler with ID: 7',
    { kind: 'slurm_scheduler', id: '7' },
    'Scheduler 7 was not found (404)',
  ],
])('a record that the service does not have is named in a sentence: %s', (message, missing, sentence) => {
  expect(withMessage(404, message)).toMatchObject({ message: sentence, missing });
});

it.each([
  ['Task not found', 'Task not found (404)'],
  ["Worker 'a' not found for workflow 7", "Worker 'a' not found (404) for workflow 7"],
])('a sentence of the service about what it does not have gets the status: %s', (message, sentence) => {
  expect(withMessage(404, message)).toMatchObject({ message: sentence, missing: undefined });
  expect(withMessage(422, message)).toMatchObject({ message });
});

it('a 404 about something else than a record keeps its explanation', () => {
  expect(withMessage(404, 'there is no GET /x')).toMatchObject({ message: 'there is no GET /x', missing: undefined });
  expect(refused(404, '<html>')).toMatchObject({ missing: undefined });
});

it('a refused login is reported with the way to log in, although the reply does not contain it', () => {
  expect(refused(401, 'Unauthorized')).toMatchObject({
    message: 'the server refused the login',
    code: undefined,
    remedy: 'Log in: set TORC_USERNAME and TORC_PASSWORD, or give --prompt-password.',
  });
});

it('a failure, or a reply of another program, is reported with the request, the status and its text', () => {
  expect(refused(502, 'away').message).toBe('list jobs: the server replied 502 Bad Gateway: away');
  expect(refused(502, '').message).toBe('list jobs: the server replied 502 Bad Gateway: no explanation');
  expect(withMessage(500, 'disk is full').message).toBe(
    'list jobs: the server replied 500 Internal Server Error: disk is full',
  );
});

it('an explanation that is not text is no explanation', () => {
  expect(refused(400, '{"error":{"message":{"a":1}}}').message).toContain('the server replied 400 Bad Request');
});
