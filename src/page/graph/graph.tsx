import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { WorkflowGraph } from '../../core/contract/view.ts';
import { StepButton } from '../parts.tsx';
import { FamilyTable } from './family-table.tsx';
import { FamilyNode } from './node.tsx';
import { pictureOf } from './picture.ts';
import { viewedArea, type Box, enlarged, hasNames, type FrameSize, touch, type GraphView, wholeScale } from './zoom.ts';

/** The frame is not higher (style.css). */
const HIGHEST_PX = 544;
/** How much a step of the buttons and keys enlarges, and which part of a step a pixel of a wheel is. */
const [STEP, A_PIXEL] = [1.4, 0.01];
/** Names that are drawn in one frame, each in half a millisecond on a slow machine, and in the first, with which a view begins. */
const [NAMES_A_FRAME, MOST_AT_FIRST] = [16, 100];

interface GraphProps {
  readonly id: number;
  readonly graph: WorkflowGraph;
}

/**
 * Families and the dependencies between them; only those in view are elements. A change of the scale moves the whole
 * drawing: the places of its elements stay. The table below says the same.
 */
export function FamilyGraph({ id, graph }: GraphProps) {
  const element = useRef<HTMLDivElement>(null);
  const [frame, setFrame] = useState<FrameSize>({ width: 0, height: HIGHEST_PX });
  const picture = useMemo(() => pictureOf(graph, frame), [graph, frame]);
  /** What the reader has chosen. Before that, all of the graph is shown if its names can be read. */
  const [held, setView] = useState<GraphView>();
  const whole = wholeScale(picture, frame);
  const view = held ?? { scale: hasNames(whole) ? whole : 1, left: 0, top: 0 };
  const { scale } = view;
  const isNamed = hasNames(scale);
  // What is drawn again at each step is what the step changes: elements that are the same objects are not compared.
  const table = useMemo(() => <FamilyTable id={id} graph={graph} />, [id, graph]);
  const nodes = useMemo(
    () =>
      picture.nodes.map(({ of, box }) => {
        const drawn = (hasName: boolean) => <FamilyNode key={of.key} id={id} family={of} box={box} hasName={hasName} />;
        return { key: of.key, box, named: drawn(true), bare: drawn(false) };
      }),
    [id, picture],
  );

  useLayoutEffect(() => {
    const measure = () =>
      setFrame((before) => {
        const width = element.current?.clientWidth ?? 0;
        return width === before.width ? before : { ...before, width };
      });
    const observer = new ResizeObserver(measure);
    observer.observe(element.current as HTMLDivElement);
    measure();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => element.current?.scrollTo(view.left, view.top), [scale]);

  const scrolled = (): GraphView => {
    const { scrollLeft: left = 0, scrollTop: top = 0 } = element.current ?? {};
    return { scale, left, top };
  };
  const onScroll = () => {
    const now = scrolled();
    setView((before) => {
      const last = before ?? view;
      return last.scale !== scale || isSame(viewedArea(last, frame), viewedArea(now, frame)) ? before : now;
    });
  };
  const zoom = (times: number, at = { x: frame.width / 2, y: frame.height / 2 }) => {
    const now = scrolled();
    // Steps that follow one another before the browser draws add up.
    setView((before = view) => enlarged(before.scale === scale ? now : before, times, at, picture, frame));
  };
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
    zoom(STEP ** (-event.deltaY * A_PIXEL), { x: event.clientX - left, y: event.clientY - top });
  };

  const area = viewedArea(view, frame);
  const inView = nodes.filter(({ box }) => touch(box, area));
  const names = useNames(
    scale,
    inView.map(({ key }) => key),
  );
  const edges = picture.edges
    .filter(({ box }) => touch(box, area))
    .map(({ path }) => path)
    .join('');
  const { width, height } = picture;
  const hasRoom = frame.width === 0 || (whole === 1 && scale === 1);
  return (
    <>
      {!hasRoom && (
        <div class="choices" role="group" aria-label="Size of the graph">
          <StepButton press="+" says="Zoom in" go={() => zoom(STEP)} />
          <StepButton press="-" says="Zoom out" go={() => zoom(1 / STEP)} />
          <StepButton press="0" says="Whole graph" go={() => zoom(0)} />
        </div>
      )}
      <div
        ref={element}
        class="graph"
        tabIndex={0}
        role="group"
        aria-label="Graph of the families of jobs"
        onScroll={onScroll}
        onWheel={onWheel}
      >
        <div style={{ width: `${width * scale}px`, height: `${height * scale}px` }}>
          <svg
            class={isNamed ? undefined : 'is-small'}
            width={width}
            height={height}
            style={{ transform: `scale(${scale})` }}
            role="presentation"
          >
            <path class="edge" d={edges} />
            {inView.map(({ key, named, bare }) => (names.has(key) ? named : bare))}
          </svg>
        </div>
      </div>
      {table}
    </>
  );
}

/**
 * The families that are drawn with their names: those in view, once names can be read. When many become readable at once, some get theirs
 * with each frame that is not one of a zoom, as all together would take longer than one. A name that is drawn stays, hidden where it is
 * too small: to remove it and draw it again takes longer.
 */
function useNames(scale: number, inView: readonly string[]): ReadonlySet<string> {
  const names = useRef(new Set<string>());
  const drawn = useRef(scale);
  const [, draw] = useState({});
  const missing = hasNames(scale) ? inView.filter((key) => !names.current.has(key)) : [];
  const most = names.current.size === 0 ? MOST_AT_FIRST : drawn.current === scale ? NAMES_A_FRAME : 0;
  for (const key of missing.slice(0, most)) names.current.add(key);
  drawn.current = scale;
  const isLeft = missing.length > most;
  useLayoutEffect(() => {
    if (!isLeft) return;
    const frame = requestAnimationFrame(() => draw({}));
    return () => cancelAnimationFrame(frame);
  });
  return names.current;
}

const isSame = (one: Box, other: Box) => JSON.stringify(one) === JSON.stringify(other);
