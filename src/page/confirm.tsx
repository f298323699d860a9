import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useDialog } from './dialog.ts';
import { ErrorNote } from './parts.tsx';

interface Question {
  /** The words of the button that opens the question. */
  readonly label: string;
  readonly title: string;
  /** What will happen, and to how much. */
  readonly says: string;
  /** The words of the button that does it. */
  readonly does: string;
  readonly isDangerous?: boolean;
  /** Why it cannot be done now. */
  readonly unlessFor?: string | undefined;
  /** False while what will happen is not known yet. */
  readonly isReady?: boolean;
  readonly act: () => Promise<unknown>;
  /** Fields that the user fills in. */
  readonly children?: ComponentChildren;
}

/** A button that says what it will do before it does it. */
export function Confirm({
  label,
  title,
  says,
  does,
  isDangerous = false,
  unlessFor,
  isReady = true,
  act,
  children,
}: Question) {
  const { dialog, isOpen, open, close: closeDialog } = useDialog();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const close = () => {
    closeDialog();
    setError(undefined);
  };
  const go = async () => {
    setBusy(true);
    try {
      await act();
      close();
    } catch (thrown) {
      setError((thrown as Error).message);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        class={isDangerous ? 'danger' : ''}
        disabled={unlessFor !== undefined}
        title={unlessFor}
        onClick={open}
      >
        {label}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-label={title} onCancel={close} onClose={close}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void go();
            }}
          >
            <h2>{title}</h2>
            <p>{says}</p>
            {children}
            <ErrorNote text={error} />
            <div class="buttons">
              <button type="button" onClick={close}>
                No
              </button>
              <button type="submit" class={isDangerous ? 'danger main' : 'main'} disabled={isBusy || !isReady}>
                {does}
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  );
}
