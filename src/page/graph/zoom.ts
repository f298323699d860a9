/** Left and top, right and bottom, in pixels of the drawing at its own size. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** How much of its own size a drawing has, and how far its frame is scrolled, in pixels of the screen. */
export interface GraphView {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** A name that is drawn larger has nothing more to say. */
const MOST = 2;
/** Names that are smaller cannot be read: only boxes are drawn. */
const READABLE = 0.65;
/** What is drawn changes in steps of this many pixels, so that most frames of scrolling change nothing. */
const TILE = 128;

/** Smaller ones are no drawing, which a frame without a width would ask for. */
const LEAST = 0.01;

/** The scale at which all of a drawing is in the frame. */
export const wholeScale = (drawing: FrameSize, frame: FrameSize): number =>
  Math.max(LEAST, Math.min(1, frame.width / drawing.width, frame.height / drawing.height));

export const hasNames = (scale: number): boolean => scale >= READABLE;

/** A view `times` as large, within its limits, in which the point `at` of the frame shows what it showed before. */
export function enlarged(
  view: GraphView,
  times: number,
  at: { readonly x: number; readonly y: number },
  drawing: FrameSize,
  frame: FrameSize,
): GraphView {
  const scale = Math.max(wholeScale(drawing, frame), Math.min(MOST, view.scale * times));
  const by = scale / view.scale;
  return {
    scale,
    left: between(0, (view.left + at.x) * by - at.x, drawing.width * scale - frame.width),
    top: between(0, (view.top + at.y) * by - at.y, drawing.height * scale - frame.height),
  };
}

const between = (least: number, value: number, most: number) => Math.max(least, Math.min(value, most));

/** The part of the drawing that is in view, and what is near it. */
export function viewedArea({ scale, left, top }: GraphView, frame: FrameSize): Box {
  const down = (px: number) => (Math.floor(px / scale / TILE) - 1) * TILE;
  const up = (px: number) => (Math.ceil(px / scale / TILE) + 1) * TILE;
  return { left: down(left), top: down(top), right: up(left + frame.width), bottom: up(top + frame.height) };
}

export const touch = (one: Box, other: Box): boolean =>
  one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom;
