import { useEffect, useRef, useState } from 'preact/hooks';

/** A dialog in front of the page, which is an element while it is open. */
export function useDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return {
    dialog,
    isOpen,
    open: () => setOpen(true),
    close() {
      dialog.current?.close();
      setOpen(false);
    },
  };
}
