import { command } from '../command/command.ts';

export const ping = command('ping', {
  says: 'Check that the server answers.',
  async run({ service, output }) {
    const { client, url } = await service();
    try {
      const { status } = await client.ping();
      output.record('ping', { status }, `${status} (${url})`);
    } catch (error) {
      if (output.format === 'json') output.record('ping', { status: 'error', message: (error as Error).message }, '');
      throw error;
    }
  },
});
