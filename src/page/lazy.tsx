import { type ComponentType, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from './loading.tsx';

/** A component in a part of the page that is loaded when it is shown first. */
export function lazy<Props extends object>(what: string, load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props): JSX.Element {
    const [Part, show] = useState(() => loaded);
    const [hasFailed, fail] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (part) => {
          loaded = part;
          show(() => part);
        },
        () => fail(true),
      );
    }, []);
    if (Part !== undefined) return <Part {...props} />;
    return hasFailed ? (
      <p class="note is-error" role="alert">
        The part of the page with {what} could not be loaded. Load the page again.
      </p>
    ) : (
      <Loading what={what} />
    );
  };
}
