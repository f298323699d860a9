import { useState } from 'preact/hooks';
import type { ResourceUseClass } from '../core/contract/view.ts';
import { parseMemory } from '../core/quantity/bytes.ts';
import { parseDuration } from '../core/quantity/duration.ts';
import { Confirm } from './confirm.tsx';
import { connection } from './connection.ts';
import { FormField, jobsWords } from './parts.tsx';
import { shortenedText } from './words.ts';

const { client } = connection;

interface ChangeProps {
  readonly of: ResourceUseClass;
  readonly again: () => void;
}

/** Changes requirements that jobs share, with what would fit them already filled in. */
export function ChangeRequirements({ of, again }: ChangeProps) {
  const { resource_requirements_id: id, name, jobs, suggestion } = of;
  const [cpus, setCpus] = useState(String(suggestion?.num_cpus ?? of.num_cpus));
  const [memory, setMemory] = useState(suggestion?.memory ?? of.memory);
  const [runtime, setRuntime] = useState(suggestion?.runtime ?? of.runtime);
  const act = async () => {
    // They are checked here too: the server takes texts of Torc 1.0 that a runner reads differently.
    parseMemory(memory);
    parseDuration(runtime);
    const { id: _id, ...before } = await client.getResourceRequirements({ params: { id } });
    await client.updateResourceRequirements({
      params: { id },
      body: { ...before, num_cpus: Number(cpus), memory, runtime },
    });
    again();
  };
  return (
    <Confirm
      label="Change …"
      title={`Change the requirements ${shortenedText(name, 80)}?`}
      says={`${jobsWords(jobs)} ${jobs === 1 ? 'has' : 'share'} them: ${of.num_cpus} CPUs, ${of.memory} of memory and ${of.runtime}. Those that start later have the new ones, also in later runs; those that run keep theirs.`}
      does="Change them"
      act={act}
    >
      <FormField label="CPUs" type="number" min="1" step="1" required value={cpus} set={setCpus} />
      <FormField label="Memory, such as 4g" required value={memory} set={setMemory} />
      <FormField label="Time, such as PT2H30M" required value={runtime} set={setRuntime} />
    </Confirm>
  );
}
