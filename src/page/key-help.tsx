import { useEffect, useState } from 'preact/hooks';
import { useDialog } from './dialog.ts';
import { KEYS } from './keys.ts';
import { areKeysOn, noteWorkflow, pressPageKey, turnKeys } from './keys.ts';

/** A button with the list of the keys, and the keys themselves. */
export function KeyHelp({ hash }: { readonly hash: string }) {
  const { dialog, isOpen, open, close } = useDialog();
  const [areOn, setOn] = useState(areKeysOn);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (pressPageKey(event, open)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useEffect(noteWorkflow, [hash]);
  return (
    <>
      <button type="button" class="quiet" aria-label="Keys" title="Keys" onClick={open}>
        ?
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-label="Keys" class="keys" onCancel={close} onClose={close}>
          <h2>Keys</h2>
          <dl>
            {KEYS.map(({ keys, says }) => (
              <div key={says}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{says}</dd>
              </div>
            ))}
          </dl>
          <label class="check">
            <input
              type="checkbox"
              checked={areOn}
              onChange={({ currentTarget: { checked } }) => {
                turnKeys(checked);
                setOn(checked);
              }}
            />
            Single keys are on
          </label>
          <div class="buttons">
            <button type="button" class="main" onClick={close}>
              Close
            </button>
          </div>
        </dialog>
      )}
    </>
  );
}
