/** The parts of the Analyse view: each draws what it is given and reports what a person does. */

import type {
  AttentionMessage, ClientMessage, Color, LearnMessage, LinesMessage, ModelMessage, PositionMessage, ReportMessage, Score,
  ServerMessage, Shape, TreeNode, Uci, Wdl, Welcome,
} from "../protocol";
import type { AutoShape, Context } from "../types";
import type { GameTree } from "./game";

export type * from "../types";

export type PreviewMessage = Extract<ServerMessage, { type: "preview" }>;

interface Component { element: HTMLElement }

/** What the person has set for the engine. */
export interface Settings { on: boolean; multipv: number; threat: boolean; arrows: boolean }

/** A line of moves after `node`, whose ply is `ply`. */
export interface LineData { node: number; ply: number; uci: Uci[]; san: string[] }

export interface LineActions {
  /** Plays moves after a node. */
  play(node: number, moves: Uci[]): void;
  /** Shows the board after them beside an element. */
  preview(node: number, moves: Uci[], anchor: Element): void;
  endPreview(): void;
}

export type CreateMoveLine = (actions: LineActions) => Component & { set(line: LineData | null): void };

export type CreatePreview = (context: Context, orientation: () => Color) => Component & {
  show(node: number, moves: Uci[], anchor: Element): void;
  hide(): void;
  onMessage(message: PreviewMessage): void;
  /** Another game: its nodes have other meanings. */
  clear(): void;
};

export type CreateWdlBar = () => Component & { parts: HTMLElement[]; set(wdl: Wdl | null): void };
/** `words` describes what the bar shows, if that is not win/draw/loss. */
export type CreateEvaluationBar = () => Component & { set(wdl: Wdl | null, score: Score | null, orientation: Color, words?: string): void };

export type CreateEngine = (options: {
  settings: Settings; actions: LineActions; onChange(change: Partial<Settings>): void;
}) => Component & {
  /** Shows the settings. */
  refresh(): void;
  /** Another position: what is shown is old until lines arrive. `outcome`: why the game is over there. */
  moved(outcome: string | null): void;
  set(message: LinesMessage, ply: number, model: ModelMessage | null): void;
  setModel(model: ModelMessage): void;
};

export type CreateTree = (options: {
  onGo(node: number): void; onMenu(node: number, x: number, y: number): void; onBest(): void; onComment(node: number, text: string): void;
}) => Component & {
  setGame(game: GameTree): void;
  setCurrent(node: number): void;
  /** Edits the comment of a node in place. */
  edit(node: number): void;
};

export interface MenuItem {
  label: string; action(): void;
  /** A key that does the same. */
  key?: string;
  disabled?: boolean;
  /** An item that is on or off, shown as a symbol. */
  checked?: boolean;
  symbol?: string;
}

export type CreateGraph = (onGo: (node: number) => void) => Component & {
  set(points: ReportMessage["graph"], game: GameTree): void;
  setCurrent(node: number): void;
  /** White's expected points at a node, if it is in the graph. */
  expectation(node: number): number | null;
};

export type CreateReport = (options: {
  seconds: number; actions: LineActions; onStart(seconds: number): void; onStop(): void; onLearn(color: Color): void; onGo(node: number): void;
}) => Component & {
  set(report: ReportMessage, game: GameTree): void;
  setCurrent(node: number): void;
  setProgress(done: number, total: number): void;
  /** The analysis has ended. */
  finish(): void;
  clear(): void;
};

export type CreateLearn = (send: (message: ClientMessage) => void) => Component & {
  /** `explanation`: why the move played is bad. Returns what there is to say, for the live region. */
  set(message: LearnMessage, explanation: Node[]): string;
};

export type CreatePeople = (options: {
  ratings: number[]; rating: number; actions: LineActions; onRating(rating: number): void;
}) => Component & {
  /** The rating that is chosen; null: any. */
  rating(): number | null;
  moved(isOver: boolean): void; set(model: ModelMessage): void;
};

export type CreateAttention = (options: {
  request(layer: number, head: number): void;
  /** Weights of each square, a1 first, and the square they come from. */
  onHeat(heat: Float32Array | null, from: string | null): void;
}) => Component & {
  setModel(model: Welcome["model"]): void;
  setActive(active: boolean): void;
  /** Another position. */
  moved(): void;
  point(square: string | null): void;
  flip(flipped: boolean): void;
  onMessage(message: AttentionMessage): void;
};

export type CreateDetails = (options: {
  onTags(tags: [string, string][]): void; onPgn(action: "copy" | "download"): void; onFen(): void; onLink(): void; onLoad(text: string): void;
}) => Component & { set(game: GameTree): void };

export type CreateTabs = (parts: { id: string; name: string; panel: HTMLElement }[], onChange: () => void) => {
  list: HTMLElement; panels: HTMLElement[]; readonly current: string;
  open(id: string): void;
  /** Adapts to the width of the window. */
  layout(): void;
};

export type AutoShapes = (state: {
  position: PositionMessage | null; settings: Settings; lines: LinesMessage | null; threat: { uci: Uci } | null;
  learn: LearnMessage | null; model: ModelMessage | null;
}) => AutoShape[];

export type { AttentionMessage, Color, LearnMessage, LinesMessage, ModelMessage, ReportMessage, Shape, TreeNode, Wdl, GameTree };
