import fc from 'fast-check';
import { expect, it } from 'vitest';
import { surroundingsOf } from './read-script.ts';
import { surroundingsScript } from './script.ts';

const name = fc.stringMatching(/^[\w./:@ +"'-]{1,20}$/).filter((text) => text.trim() === text && text !== '');

it('whatever container, environment and modules a job has, they are read from its script', () => {
  const container = fc.record({
    image: name,
    runtime: fc.constantFrom('apptainer' as const, 'podman' as const, 'docker' as const),
    binds: fc.constantFrom([], ['/data:/mnt']),
    keepEntrypoint: fc.boolean(),
  });
  const module = fc.array(fc.stringMatching(/^[a-z][\w./+-]{0,9}$/), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.option(container), fc.option(name), fc.option(module), (box, conda, modules) => {
      const given = { container: box ?? undefined, conda: conda ?? undefined, module: modules?.join(' ') };
      const script = surroundingsScript(given, { variables: ['A'], folders: ['/x'] });
      expect(surroundingsOf(script)).toEqual({
        ...(box === null ? {} : { container: { image: box.image, runtime: box.runtime } }),
        ...(conda === null ? {} : { conda }),
        modules: modules ?? [],
      });
    }),
  );
});

it('a script that a user wrote says nothing of containers, whatever it starts', () => {
  expect(surroundingsOf('podman run "${torc_options[@]}" image sh -c \'')).toEqual({ modules: [] });
  expect(surroundingsOf(null)).toEqual({ modules: [] });
});
