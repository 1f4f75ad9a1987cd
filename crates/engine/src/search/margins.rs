//! The parameters of the search. Scores are centipawns; reductions are in 1024ths of a ply.

/// Aspiration window: half its initial width.
pub const ASPIRATION: i32 = 14;
/// Aspiration window: minimum depth.
pub const ASPIRATION_DEPTH: i32 = 4;

/// Razoring: margin below alpha, …
pub const RAZOR_BASE: i32 = 180;
/// … plus this times depth².
pub const RAZOR_DEPTH: i32 = 130;
/// Razoring: maximum depth.
pub const RAZOR_MAX_DEPTH: i32 = 4;

/// Reverse futility pruning: margin above beta per ply.
pub const REVERSE_FUTILITY: i32 = 78;
/// Reverse futility pruning: maximum depth.
pub const REVERSE_FUTILITY_MAX_DEPTH: i32 = 9;

/// Null-move pruning: minimum depth.
pub const NULL_MIN_DEPTH: i32 = 3;
/// Null-move pruning: base reduction, …
pub const NULL_REDUCTION: i32 = 4;
/// … plus depth divided by this, …
pub const NULL_DEPTH_DIVISOR: i32 = 4;
/// … plus the margin above beta divided by this.
pub const NULL_SCORE_DIVISOR: i32 = 180;
/// Null-move pruning: the static evaluation must exceed beta by this, …
pub const NULL_SLACK: i32 = 140;
/// … minus this per ply.
pub const NULL_SLACK_DEPTH: i32 = 20;
/// Null-move pruning: minimum depth of a verification search.
pub const NULL_VERIFY_DEPTH: i32 = 13;

/// ProbCut: margin above beta.
pub const PROBCUT: i32 = 190;
/// ProbCut: minimum depth.
pub const PROBCUT_MIN_DEPTH: i32 = 5;
/// ProbCut: depth reduction of the confirming search.
pub const PROBCUT_REDUCTION: i32 = 4;

/// Internal iterative reduction: minimum depth.
pub const IIR_MIN_DEPTH: i32 = 4;

/// Late move pruning: move count at depth 0.
pub const LATE_MOVES_BASE: i32 = 4;
/// Late move pruning: maximum depth.
pub const LATE_MOVES_MAX_DEPTH: i32 = 8;

/// Futility pruning: margin below alpha, …
pub const FUTILITY_BASE: i32 = 95;
/// … plus this per ply.
pub const FUTILITY_DEPTH: i32 = 85;
/// Futility pruning: maximum depth.
pub const FUTILITY_MAX_DEPTH: i32 = 8;

/// History pruning: history threshold per ply.
pub const HISTORY_PRUNING: i32 = -3300;
/// History pruning: maximum depth.
pub const HISTORY_PRUNING_MAX_DEPTH: i32 = 5;

/// SEE pruning: threshold of quiet moves, times depth².
pub const SEE_PRUNING_QUIET: i32 = -22;
/// SEE pruning: threshold of captures per ply.
pub const SEE_PRUNING_CAPTURE: i32 = -95;
/// SEE pruning: maximum depth.
pub const SEE_PRUNING_MAX_DEPTH: i32 = 9;

/// Singular extensions: minimum depth.
pub const SINGULAR_MIN_DEPTH: i32 = 7;
/// Singular extensions: the table entry may be this much shallower.
pub const SINGULAR_TABLE_DEPTH: i32 = 3;
/// Singular extensions: margin below the table score, in half centipawns per ply.
pub const SINGULAR_MARGIN: i32 = 2;
/// Double extension: further margin below the singular beta.
pub const DOUBLE_MARGIN: i32 = 18;
/// Double extensions: maximum in one line.
pub const DOUBLE_LIMIT: u8 = 6;

/// Late move reductions: minimum depth.
pub const REDUCTION_MIN_DEPTH: i32 = 2;
/// Late move reductions at the root: minimum depth.
pub const ROOT_REDUCTION_MIN_DEPTH: i32 = 3;
/// Late move reductions at the root: moves searched without reduction.
pub const ROOT_REDUCTION_MOVES: i32 = 3;
/// Late move reductions: constant term, in plies.
pub const REDUCTION_BASE: f64 = 0.75;
/// Late move reductions: divisor of ln(depth) × ln(move number).
pub const REDUCTION_DIVISOR: f64 = 2.15;
/// Late move reductions: at a cut node.
pub const REDUCTION_CUT_NODE: i32 = 1400;
/// Late move reductions: on a principal variation, now or earlier.
pub const REDUCTION_ON_PV: i32 = -1100;
/// Late move reductions: the static evaluation is improving.
pub const REDUCTION_IMPROVING: i32 = -700;
/// Late move reductions: the table move is a capture or promotion.
pub const REDUCTION_TABLE_CAPTURE: i32 = 900;
/// Late move reductions: the move gives check.
pub const REDUCTION_CHECK: i32 = -900;
/// Late move reductions: the move is a killer.
pub const REDUCTION_KILLER: i32 = -900;
/// Late move reductions: children have failed high often.
pub const REDUCTION_CUTOFFS: i32 = 900;
/// Late move reductions: quiet history worth one ply.
pub const REDUCTION_HISTORY: i32 = 9000;
/// Late move reductions: capture history worth one ply.
pub const REDUCTION_CAPTURE_HISTORY: i32 = 6000;

/// Delta pruning in quiescence: margin.
pub const QUIESCENCE_FUTILITY: i32 = 160;
/// Quiescence: SEE threshold of captures.
pub const QUIESCENCE_SEE: i32 = -20;

/// History bonus per ply, …
pub const BONUS_DEPTH: i32 = 160;
/// … minus this, …
pub const BONUS_OFFSET: i32 = 80;
/// … at most this.
pub const BONUS_MAX: i32 = 1700;
