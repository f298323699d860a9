import { useState } from 'preact/hooks';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { Pager } from '../pager.tsx';
import { Section, Shown, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { WorkflowHead } from '../workflow-tabs.tsx';
import { shownText } from '../words.ts';

const { client } = connection;
const PAGE = 50;

/** The files and the user data of a workflow. The name that is looked for stands in the address. */
export function FilesView({ id, query }: { readonly id: number; readonly query: URLSearchParams }) {
  const name = query.get('name') ?? '';
  return (
    <>
      <WorkflowHead id={id} shown="files" />
      <label class="filter">
        <span>Name</span>
        <input
          type="search"
          value={name}
          placeholder="the whole name"
          onInput={({ currentTarget }) => replaceQuery(`/workflows/${id}/files`, query, 'name', currentTarget.value)}
        />
      </label>
      <Files key={`files ${name}`} id={id} name={name} />
      <UserData key={`data ${name}`} id={id} name={name} />
    </>
  );
}

interface Asked {
  readonly id: number;
  readonly name: string;
}

const queryOf = ({ id, name }: Asked, offset: number) => ({
  workflow_id: id,
  name: name === '' ? undefined : name,
  limit: PAGE,
  offset,
});
const none = (things: string, name: string) =>
  name === '' ? `This workflow has no ${things}.` : `This workflow has no ${things} of this name.`;

function Files(asked: Asked) {
  const [offset, setOffset] = useState(0);
  const query = queryOf(asked, offset);
  const live = useLive(`files ${JSON.stringify(query)}`, () => client.listFiles({ query }), 10_000);
  return (
    <Section title="Files">
      <Shown live={live} what="files">
        {({ items, total_count: total }) => (
          <>
            {items.length === 0 && <p class="note">{none('files', asked.name)}</p>}
            {items.length > 0 && (
              <div class="scroll" tabIndex={0} role="group" aria-label="Table of files">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Name</th>
                      <th scope="col" class="wide">
                        Path
                      </th>
                      <th scope="col">Changed</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((file) => (
                      <tr key={file.id}>
                        <td class="name">{shownText(file.name, 80)}</td>
                        <td>
                          <code>{shownText(file.path, 400)}</code>
                        </td>
                        <td>
                          {typeof file.st_mtime === 'number' ? (
                            <Time at={new Date(file.st_mtime * 1000).toISOString()} />
                          ) : (
                            'not seen yet'
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            <Pager offset={offset} limit={PAGE} total={total} show={setOffset} />
          </>
        )}
      </Shown>
    </Section>
  );
}

function UserData(asked: Asked) {
  const [offset, setOffset] = useState(0);
  const query = queryOf(asked, offset);
  const live = useLive(`data ${JSON.stringify(query)}`, () => client.listUserData({ query }), 10_000);
  return (
    <Section title="User data">
      <Shown live={live} what="user data">
        {({ items, total_count: total }) => (
          <>
            {items.length === 0 && <p class="note">{none('user data', asked.name)}</p>}
            {items.length > 0 && (
              <div class="scroll" tabIndex={0} role="group" aria-label="Table of user data">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Name</th>
                      <th scope="col" class="wide">
                        Data
                      </th>
                      <th scope="col">Kept</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map(({ id, name, data, is_ephemeral: isEphemeral }) => (
                      <tr key={id}>
                        <td class="name">{shownText(name, 80)}</td>
                        <td>
                          {data === undefined || data === null ? (
                            'no value yet'
                          ) : (
                            <code>{shownText(JSON.stringify(data), 1_000)}</code>
                          )}
                        </td>
                        <td>{isEphemeral === true ? 'for one run' : 'always'}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            <Pager offset={offset} limit={PAGE} total={total} show={setOffset} />
          </>
        )}
      </Shown>
    </Section>
  );
}
