import { useRef, useState } from 'preact/hooks';

/** A shorter drag is a click. */
const LEAST_DRAG_PX = 4;

interface Selected {
  /** Pixels from the left of the frame. */
  readonly left: number;
  readonly width: number;
}

/** Selects a part of a track by dragging; `choose` gets its begin and its end as parts of the width of the track. */
export function useDrag(choose: (begin: number, end: number) => void) {
  const frame = useRef<HTMLDivElement>(null);
  const begun = useRef<{ x: number; left: number; width: number }>(undefined);
  const [selected, select] = useState<Selected>();
  const hasDragged = useRef(false);

  const placeOf = (x: number): number => {
    const { left, width } = begun.current as NonNullable<typeof begun.current>;
    return Math.min(1, Math.max(0, (x - left) / width));
  };
  const ends = (x: number) =>
    [placeOf(begun.current?.x ?? 0), placeOf(x)].sort((one, other) => one - other) as [number, number];
  const end = () => {
    begun.current = undefined;
    select(undefined);
  };
  return {
    selected,
    /** Of the element around the tracks. */
    handlers: {
      ref: frame,
      onPointerDown(event: PointerEvent) {
        const track = (event.target as Element).closest('.track');
        hasDragged.current = false;
        if (track === null || event.button !== 0) return;
        const { left, width } = track.getBoundingClientRect();
        begun.current = { x: event.clientX, left, width };
      },
      onPointerMove({ clientX, pointerId }: PointerEvent) {
        if (begun.current === undefined || frame.current === null) return;
        if (!hasDragged.current && Math.abs(clientX - begun.current.x) < LEAST_DRAG_PX) return;
        hasDragged.current = true;
        // The pointer may leave the frame.
        frame.current.setPointerCapture(pointerId);
        const { left, width } = begun.current;
        const [first, last] = ends(clientX);
        select({
          left: left - frame.current.getBoundingClientRect().left + first * width,
          width: (last - first) * width,
        });
      },
      onPointerUp({ clientX }: PointerEvent) {
        if (begun.current !== undefined && hasDragged.current) choose(...ends(clientX));
        end();
      },
      onPointerCancel: end,
      /** A drag that begins and ends on a bar does not open its job. */
      onClickCapture(event: Event) {
        if (!hasDragged.current) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}
