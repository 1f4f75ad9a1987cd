/**
 * The messages between the page and its server: JSON text frames over one WebSocket per tab, tagged by
 * `type`. The set is closed: anything else is answered by a `notice` and ignored. The rules are the server's;
 * the page draws what it is sent and sends back what a person does.
 *
 * The socket is `/ws`. Where the server requires a token, the page's address carries `?token=…` and the page repeats
 * its query string in the addresses of the socket and of uploads.
 *
 * Squares are "a1" … "h8". Moves are UCI text with castling as king takes rook ("e1h1"), which is unambiguous
 * in chess and Chess960. Scores, win/draw/loss and evaluations are from White's point of view.
 */

export type Square = string;
export type Uci = string;
export type Color = "white" | "black";
export type Result = "1-0" | "0-1" | "1/2-1/2" | "*";

/** Centipawns, or moves to mate (negative: White is mated). */
export type Score = { cp: number } | { mate: number };
/** Per mille of wins, draws and losses of White. */
export type Wdl = [number, number, number];

export type Player =
  | { kind: "person" }
  | { kind: "engine"; level: number } // an index into `Welcome.levels`
  /** Plays like people of a rating, one of `Welcome.ratings`, at the fitted temperature or another: 0 the likeliest move. */
  | { kind: "model"; rating: number; temperature?: number };

export interface TimeControl { initial_ms: number; increment_ms: number }

// ---------------------------------------------------------------------------------------------- page → server

export type ClientMessage =
  /**
   * First message of a connection; without `saved` the session starts with the initial position. A state that is
   * longer than 48 KiB is uploaded after the welcome, and a second hello names the upload.
   */
  | { type: "hello"; protocol: 1; saved?: Saved; upload?: number }
  /** A new game from the initial position, a Chess960 position (0–959, null: random) or a FEN. */
  | { type: "new_game"; variant: "chess" | "chess960"; position?: number | null; fen?: string;
      white: Player; black: Player; clock: TimeControl | null }
  /** Plays on from the position shown. */
  | { type: "play_from"; white: Player; black: Player; clock: TimeControl | null }
  /** A FEN or PGN that was pasted or dropped, at most 48 KiB; longer texts are uploaded (see `Upload`). */
  | { type: "load"; text: string }
  /** Opens a game of an upload. */
  | { type: "open"; upload: number; game: number }
  /**
   * Plays a legal move in the position shown; ends at an existing child if there is one. At the end of the game in
   * play it is a move of the game, unless it only explores.
   */
  | { type: "move"; uci: Uci; explore?: boolean }
  /** A move typed as SAN or UCI, leniently. */
  | { type: "type_move"; text: string; explore?: boolean }
  /** Shows another node of the tree. */
  | { type: "go_to"; node: number }
  // The game in play.
  | { type: "takeback" }
  | { type: "hint" }
  | { type: "resign" }
  | { type: "claim_draw" }
  // The tree, edited in place.
  | { type: "set_comment"; node: number; text: string }
  | { type: "set_nags"; node: number; nags: number[] }
  | { type: "set_shapes"; node: number; shapes: Shape[] }
  | { type: "promote_variation"; node: number }
  | { type: "make_main_line"; node: number }
  | { type: "delete_node"; node: number }
  | { type: "set_tags"; tags: [string, string][] }
  | { type: "get_pgn" }
  // Analysis of the position shown.
  | { type: "set_engine"; on: boolean; multipv: number; threat: boolean }
  /** `rating`: of the people; null: unknown. */
  | { type: "set_model"; on: boolean; rating?: number | null }
  | { type: "get_attention"; layer: number; head: number }
  /** The board after some moves of a line, for hovering. */
  | { type: "preview"; node: number; moves: Uci[] }
  // Analysis of the whole main line; `seconds` for the first look at each position (0.01–60), suspects get more.
  | { type: "analyse_game"; seconds: number }
  | { type: "stop_analysis" }
  /** "Learn from your mistakes" of a player, after a report. */
  | { type: "learn"; color: Color }
  | { type: "learn_try"; uci: Uci }
  | { type: "learn_show" }
  | { type: "learn_next" }
  | { type: "learn_end" }
  // Paco Ŝako.
  | { type: "paco_new"; fen?: string; white: PacoPlayer; black: PacoPlayer }
  /** A FEN, or moves in our notation or as actions. */
  | { type: "paco_load"; text: string; white: PacoPlayer; black: PacoPlayer }
  | { type: "paco_act"; action: PacoAction }
  /** Takes back the actions of the unfinished turn, one or all. */
  | { type: "paco_undo"; all: boolean }
  | { type: "paco_takeback" }
  | { type: "paco_resign" }
  /** Shows the position after `turns` whole turns and `actions` actions of the next one. */
  | { type: "paco_go_to"; turns: number; actions: number }
  /** Plays on from the position shown. */
  | { type: "paco_play_from" }
  | { type: "paco_hint"; paco_in: 1 | 2 | 3 }
  | { type: "paco_threats"; on: boolean };

/** What the page keeps across reloads and sends back; the server checks all of it. */
export interface Saved {
  /** The game as PGN. */
  pgn?: string;
  /** Moves from the root to the node shown. */
  path: Uci[];
  /** The game in play. `line` are the moves of its main line from the root. */
  play: { white: Player; black: Player; clock: TimeControl | null; white_ms: number; black_ms: number;
          line: Uci[]; result: Result; reason: string | null } | null;
  /** `saved` of the last report on this game. */
  report?: SavedReport;
  paco: { start: string; actions: string[]; white: PacoPlayer; black: PacoPlayer } | null;
}

/** A report as the server wants it back: the moves that were analysed and their judgements. */
export type SavedReport = object;

/**
 * `POST /upload?session=N` with a text of at most 16 MiB as body; the answer lists its games. With `&saved=1` the
 * text is a `Saved` as JSON, and nothing is listed.
 */
export interface Upload {
  upload: number;
  games: { title: string; result: Result; plies: number; problem: string | null }[];
}

// ---------------------------------------------------------------------------------------------- server → page

export type ServerMessage =
  | Welcome | GameMessage | PositionMessage | PlayMessage
  | { type: "hint"; node: number; uci: Uci; san: string }
  | LinesMessage
  /** What the opponent would play if it were his move. */
  | { type: "threat"; node: number; uci: Uci; san: string; score: Score }
  | ModelMessage | AttentionMessage
  | { type: "preview"; node: number; moves: Uci[]; fen: string; last: [Square, Square] | null; check: Square | null }
  | { type: "progress"; done: number; total: number }
  | ReportMessage | LearnMessage
  | { type: "pgn"; text: string }
  | PacoMessage | PacoHintMessage
  /** One line for people. `about` is the type of the message that caused it. */
  | { type: "notice"; level: "info" | "error"; text: string; about: string | null };

export interface Welcome {
  type: "welcome"; protocol: 1; session: number; version: string; cores: number;
  levels: { name: string; detail: string }[];
  /** Of people to imitate. */
  ratings: number[];
  paco_levels: { name: string; detail: string }[];
  /** Layers and the names of the heads of the transformer; `free` heads have learned masks. */
  model: { layers: number; heads: { name: string; free: boolean }[] };
}

export interface TreeNode {
  id: number; parent: number | null;
  ply: number; // of the position after the move: 2 * (full moves - 1), and 1 more if Black is to move
  uci: Uci | null; san: string | null; // null at the root; "0000" and "--" for a null move
  children: number[]; // the main line first
  comment: string; nags: number[]; shapes: Shape[]; // the glyphs include that of `mark`
  score: Score | null; // of the position after the move: from a comment or the analysis
  mark: "?!" | "?" | "??" | null;
  loss: number | null; // expected points lost
  better: { uci: Uci[]; san: string[]; score: Score } | null; // what the engine prefers to a marked move
  refutation: { uci: Uci[]; san: string[]; score: Score } | null; // why the move is bad: the line after it
}

export interface Shape { color: "green" | "red" | "yellow" | "blue"; from: Square; to: Square | null }

/** The whole tree; sent when it changes. */
export interface GameMessage {
  type: "game"; document: number; // changes when another game is opened
  variant: "chess" | "chess960"; start_fen: string; tags: [string, string][];
  result: Result; nodes: TreeNode[]; problem: string | null;
}

export interface LegalMove {
  uci: Uci; san: string; from: Square;
  /** The squares that mean this move: for castling the king's target and the rook's square. */
  to: Square[];
  promotion: "q" | "r" | "b" | "n" | null;
}

/** The position shown. */
export interface PositionMessage {
  type: "position"; document: number; node: number; fen: string; turn: Color;
  legal: LegalMove[]; check: Square | null; last: [Square, Square] | null;
  outcome: { result: Result; reason: string } | null;
  opening: { eco: string; name: string } | null;
  /** For screen readers: the move that led here in words ("White knight to f3, check"). */
  spoken: string;
}

/** The game in play, sent when it starts, moves, or ends. */
export interface PlayMessage {
  type: "play"; status: "none" | "playing" | "over";
  white: Player; black: Player; clock: TimeControl | null;
  /** At the time of sending. */
  white_ms: number; black_ms: number; running: Color | null;
  /** The last move of the game: moves are played there. */
  node: number; line: Uci[]; thinking: boolean;
  result: Result; reason: string | null; claimable: string | null; can_take_back: boolean;
}

export interface Line { score: Score; wdl: Wdl; uci: Uci[]; san: string[] }

/** The engine's lines so far, at most 20 a second and at least 10 while they change. */
export interface LinesMessage {
  type: "lines"; node: number; depth: number; seldepth: number; nodes: number; nps: number;
  lines: Line[]; done: boolean;
}

/** What people would play, beside the engine. */
export interface ModelMessage {
  type: "model"; node: number; wdl: Wdl;
  moves: { uci: Uci; san: string; probability: number;
    /** Expected points lost, by the engine; null where it has not looked. */
    loss: number | null;
    /** good but hard to find: (nearly) best and unlikely; trap: likely and bad. */
    kind: "hard" | "trap" | null }[];
}

/** Attention weights in per mille, `weights[64 * query + key]`, in board coordinates (a1 = 0). */
export interface AttentionMessage { type: "attention"; node: number; layer: number; head: number; weights: number[] }

export interface ReportMessage {
  type: "report"; document: number; complete: boolean;
  white: PlayerReport; black: PlayerReport;
  /** One point per position of the main line, the start included. */
  graph: { node: number; score: Score; expectation: number; mark: "?!" | "?" | "??" | null }[];
  saved: SavedReport;
}
export interface PlayerReport { name: string; accuracy: number; marks: [number, number, number]; mean_loss: number; moves: number }

/** An exercise. The position before the mistake is shown (`position`) when it begins; lines and odds are hidden until it ends. */
export interface LearnMessage {
  type: "learn"; color: Color; index: number; total: number;
  /** find: play a better move than `played` in the position before it. */
  state: "find" | "thinking" | "right" | "wrong" | "shown" | "done";
  node: number | null; played: string | null; tried: string | null; best: string | null; right: number;
}

// ---------------------------------------------------------------------------------------------- Paco Ŝako

export type PacoPlayer = { kind: "person" } | { kind: "player"; level: number };
export type PacoPiece = "p" | "r" | "n" | "b" | "q" | "k";
export type PacoAction = { lift: Square } | { place: Square } | { promote: "r" | "n" | "b" | "q" };

export interface PacoMessage {
  type: "paco"; white: PacoPlayer; black: PacoPlayer; start: string; fen: string;
  board: { square: Square; white: PacoPiece | null; black: PacoPiece | null }[];
  /** What the player has lifted: one piece, or a union. */
  hand: { square: Square; piece: PacoPiece; partner: PacoPiece | null } | null;
  turn: Color; required: "lift" | "place" | "promote"; promotion: Square | null;
  legal: PacoAction[];
  /** The turn has begun; `stuck`: it cannot be finished and must be undone. */
  unfinished: boolean; stuck: boolean;
  /** All turns so far, each with its notation and its actions ("e2", "e4", "q"). */
  turns: { color: Color; notation: string; actions: string[] }[];
  shown: { turns: number; actions: number }; live: boolean;
  last: Square[];
  /** Who could unite with the enemy king now, if it were their turn. */
  sako: { white: boolean; black: boolean } | null;
  thinking: boolean;
  ending: { result: Result; reason: string } | null;
  spoken: string;
}

export interface PacoHintMessage {
  type: "paco_hint"; paco_in: number | null; notation: string | null; actions: string[]; text: string;
}
