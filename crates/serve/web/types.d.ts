/** The types that the modules of the page share: the shape of a view, its context, and the board component. */

import type {
  ClientMessage, Color, GameMessage, LegalMove, PacoMessage, PlayMessage, PositionMessage,
  ReportMessage, ServerMessage, Shape, Square, Welcome,
} from "./protocol";

export type * from "./protocol";

export type ViewName = "play" | "analysis" | "paco";

/** What each view module exports a function for: `createPlayView(context)` and so on. */
export interface View {
  /** The view's root, put into `<main>` while the view is shown. */
  element: HTMLElement;
  show(): void;
  hide(): void;
  /** Every message of the server, whether the view is shown or not; a new view first receives `state`. */
  onMessage(message: ServerMessage): void;
  /** A key pressed outside of text fields and dialogs; true if the view has used it. */
  onKey(event: KeyboardEvent): boolean;
  /** Text that was pasted or dropped; true if the view has used it. Without it: FEN or PGN of chess. */
  onText?(text: string): boolean;
  /** What the share dialog offers to copy; without it: the chess position and game. */
  share?(): { label: string; text: string }[];
  /** The keys of the view for the help dialog: ["space", "Play the best move"]. */
  keys?: [string, string][];
}

/** The last message of each kind that describes the session. */
export interface SessionState {
  game: GameMessage | null;
  /** Of the game, or of one that was open before it. */
  report: ReportMessage | null;
  position: PositionMessage | null;
  play: PlayMessage | null;
  paco: PacoMessage | null;
  /** The game as PGN, kept current. */
  pgn: string | null;
}

export interface Preferences {
  readonly values: PreferenceValues;
  set<K extends keyof PreferenceValues>(name: K, value: PreferenceValues[K]): void;
  /** Called after a change; returns the function that ends it. */
  subscribe(listener: (values: PreferenceValues) => void): () => void;
}

export interface PreferenceValues {
  boardColors: "slate" | "wood" | "green" | "blue";
  sound: boolean;
  animation: boolean;
  coordinates: boolean;
  /** Size of the board, as a part of the space available: 0.5 to 1. */
  boardSize: number;
  /** Analysis: engine running, its number of lines, arrows for its moves, seconds per position of a whole game. */
  engine: boolean;
  multipv: number;
  arrows: boolean;
  seconds: number;
  /** Of the people whose moves are predicted; 0: unknown. */
  rating: number;
}

export interface Context {
  send(message: ClientMessage): void;
  readonly welcome: Welcome;
  readonly state: SessionState;
  readonly preferences: Preferences;
  /** Announces a text in the live region. */
  announce(text: string): void;
  /** Shows and announces one line; an error stays until it is dismissed. */
  notice(text: string, level?: "info" | "error"): void;
  createBoard(options: BoardOptions): Board;
  navigate(view: ViewName): void;
  /** Opens a FEN or PGN, by upload if it is long. */
  loadText(text: string): void;
  /** Opens the dialog that plays on from the position shown. */
  playFromHere(): void;
  /** Opens the dialog with addresses, FEN and PGN to copy. */
  share(): void;
}

// -------------------------------------------------------------------------------------------------- board

/** What stands on a square; two pieces are a union of Paco Ŝako. A raised piece is in a hand above it. */
export interface Occupant {
  square: Square;
  white: string | null;
  black: string | null;
  raised?: boolean;
}

/** An arrow or circle drawn by the program: a width and opacity of its own, and an optional label. */
export interface AutoShape extends Omit<Shape, "color"> {
  /** A color of its own shows that no person has drawn it. */
  color: Shape["color"] | "engine" | "people";
  /** 0 to 1: from a hair line to a full arrow. */
  width?: number;
  opacity?: number;
  dashed?: boolean;
  label?: string;
}

export interface BoardOptions {
  orientation?: Color;
  /** The accessible name of the grid. */
  label?: string;
  /** False: a picture without interaction, out of the tab order. */
  interactive?: boolean;
  /** A legal move was made by mouse, touch or keyboard. */
  onMove?(from: Square, to: Square, promotion: string | null, move: LegalMove): void;
  /**
   * With this option the board does not choose moves itself (Paco Ŝako): "press" when a square is pressed or
   * entered by key, "release" when the press ends there or a drag ends on another square. The raised piece
   * follows the drag.
   */
  onSquare?(square: Square, phase: "press" | "release"): void;
  /** The pointer entered a square, or left the board. */
  onHover?(square: Square | null): void;
  /** The person has drawn or erased; the new list. */
  onShapes?(shapes: Shape[]): void;
  announce?(text: string): void;
}

export interface BoardState {
  /** Placement as FEN, or `pieces`. */
  fen?: string;
  pieces?: Occupant[];
  turn?: Color;
  legal?: LegalMove[];
  last?: Square[] | null;
  check?: Square | null;
  /** Whose pieces can be moved. */
  movable?: Color | "both" | null;
  /** One move may be entered ahead while it is the other side's turn. */
  premove?: boolean;
  /** True: the change is not animated. */
  still?: boolean;
  /** Squares marked as targets where there is no `legal` (Paco Ŝako). */
  targets?: Square[];
}

export interface Board {
  element: HTMLElement;
  readonly orientation: Color;
  /** Shows a position; what is left out is empty. */
  set(state: BoardState): void;
  setShapes(user: Shape[], auto?: AutoShape[]): void;
  /** A value from 0 to 1 for each square, a1 = 0, or null for none. */
  setHeat(heat: ArrayLike<number> | null): void;
  /** Marks squares, e.g. { e4: "sako" }; kinds are the classes `mark-sako` and so on of the style sheets. */
  setHighlights(marks: Record<Square, string>): void;
  flip(color?: Color): void;
  /** Left button and touch draw in this color instead of moving; null ends it. */
  setDraw(color: Shape["color"] | null): void;
  /** Cancels a selection, a premove and an open promotion; true if there was one. */
  cancel(): boolean;
  focus(): void;
  destroy(): void;
}
