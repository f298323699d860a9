import { useState } from 'preact/hooks';
import { connection, refusalWords } from './connection.ts';
import { ErrorNote, FormField } from './parts.tsx';

/** What a person sees whom the server does not know. */
export function LogIn({ why }: { readonly why: string | undefined }) {
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await connection.logIn(user, password);
    } catch (error) {
      setError(
        refusalWords(error, {
          refused: 'The server does not accept this name and password.',
          unanswered: 'The server did not answer. Try again.',
        }),
      );
      setPassword('');
    }
    setBusy(false);
  };
  return (
    <section class="card log-in">
      <h1>Log in</h1>
      <ErrorNote text={why} />
      <form onSubmit={(event) => void submit(event)}>
        <FormField label="User" name="user" autocomplete="username" required value={user} set={setUser} />
        <FormField
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          set={setPassword}
        />
        <ErrorNote text={error} />
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? 'Checking …' : 'Log in'}
        </button>
      </form>
      <p class="note">
        A server that a command with <code>-s</code> started has no names and passwords: <code>torc -s page</code>{' '}
        prints an address that opens this page.
      </p>
    </section>
  );
}
