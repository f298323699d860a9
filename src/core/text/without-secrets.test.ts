import { expect, it } from 'vitest';
import { fileWithoutSecrets, isSecretName, secretsIn, withoutSecrets } from './without-secrets.ts';

it.each([
  ['fetch --password hidden -o x', 'fetch --password *** -o x'],
  ['fetch --password=hidden', 'fetch --password=***'],
  ["fetch --api-key 'hid den' x", 'fetch --api-key *** x'],
  ['API_TOKEN=hidden ./run', 'API_TOKEN=*** ./run'],
  ['export DB_PASSWORD="hid den"; run', 'export DB_PASSWORD=***; run'],
  ['curl -u ann:hidden https://h/x', 'curl -u ann:*** https://h/x'],
  ['curl -H "Authorization: Bearer hidden" h', 'curl -H "Authorization: ***" h'],
  ['git clone https://ann:hidden@h/x.git', 'git clone https://ann:***@h/x.git'],
  ['run ghp_0123456789abcdefghij0123456789abcdef', 'run ***'],
  ['aws --x AKIAIOSFODNN7EXAMPLE', 'aws --x ***'],
  ['psql "postgres://u:hidden@h/db"', 'psql "postgres://u:***@h/db"'],
])('of %s others see %s', (command, shown) => {
  expect(withoutSecrets(command)).toBe(shown);
});

it.each([
  'sort --key 2 in.txt > out.txt',
  'curl -u "$LOGIN" https://h/x',
  'API_TOKEN=$TOKEN ./run --token "$TOKEN"',
  'curl -H "Authorization: Bearer $TOKEN" h',
  'python train.py --tokenizer=bpe --lr 0.1 && echo 10:30 https://h:8080/x user@h',
  'rsync -u a:b c',
])('the command %s has no secret, and stays as it is', (command) => {
  expect(withoutSecrets(command)).toBe(command);
});

it('the value of a variable with such a name is masked wherever it stands', () => {
  const known = secretsIn({ SERVICE_TOKEN: 'abc-123-def', MODE: 'fast-and-long', PIN_SECRET: 'abc' });
  expect(known).toEqual(['abc-123-def']);
  expect(withoutSecrets('run abc-123-def fast-and-long', known)).toBe('run *** fast-and-long');
});

it('names of secrets are known by what they contain', () => {
  expect(['password', 'AWS_SECRET_ACCESS_KEY', 'apiKey', 'HF_TOKEN'].map(isSecretName)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['key', 'threshold', 'author'].map(isSecretName)).toEqual([false, false, false]);
});

it('a workflow file is shown without the secrets of its variables and values, also where they stand again', () => {
  const file = `name: study
env: { SERVICE_TOKEN: abc-very-secret, MODE: fast }
user_data:
  - { name: db_password, data: hunter22 }
  - name: threshold
    data: 7
jobs:
  - name: a # the first
    env:
      API_KEY: "hid den"
      TOKEN: $OTHER
    command: run abc-very-secret hunter22 --password other
`;
  const shown = fileWithoutSecrets(file);
  expect(shown).not.toMatch(/abc-very|hunter22|hid den|other$/m);
  expect(shown).toBe(file.replaceAll(/abc-very-secret|hunter22|"hid den"|other$/gm, '***'));
});

it.each(['{"env": {"DB_PASSWORD": "hidden", "A": "b"}}', "env:\n  DB_PASSWORD: 'hidden'\n"])(
  'the secret in %s is masked',
  (file) => {
    const shown = fileWithoutSecrets(file);
    expect([shown.includes('hidden'), shown.includes('***')]).toEqual([false, true]);
  },
);

it('a workflow file without secrets is shown as it is', () => {
  const file = 'name: tokenize\njobs:\n  - { name: password_check, command: "sort -k 2", timeout: 5m }\n';
  expect(fileWithoutSecrets(file)).toBe(file);
});
