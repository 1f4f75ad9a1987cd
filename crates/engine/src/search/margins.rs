//! The numbers of the search, by name. Scores are centipawns; reductions are in 1024ths of a ply.

/// Aspiration: the first window around the last score.
pub const ASPIRATION: i32 = 14;
/// Aspiration begins at this depth.
pub const ASPIRATION_DEPTH: i32 = 4;

/// Razoring: so far below alpha, by depth.
pub const RAZOR_BASE: i32 = 180;
/// Razoring: and so much more for each ply squared.
pub const RAZOR_DEPTH: i32 = 130;
/// Razoring up to this depth.
pub const RAZOR_MAX_DEPTH: i32 = 4;

/// Reverse futility: so far above beta for each ply.
pub const REVERSE_FUTILITY: i32 = 78;
/// Reverse futility up to this depth.
pub const REVERSE_FUTILITY_MAX_DEPTH: i32 = 9;

/// Null move: from this depth on.
pub const NULL_MIN_DEPTH: i32 = 3;
/// Null move: the reduction.
pub const NULL_REDUCTION: i32 = 4;
/// Null move: one ply more for so many plies.
pub const NULL_DEPTH_DIVISOR: i32 = 4;
/// Null move: one ply more for so much above beta.
pub const NULL_SCORE_DIVISOR: i32 = 180;
/// Null move: the static evaluation must be above beta by this, …
pub const NULL_SLACK: i32 = 140;
/// … less so much for each ply.
pub const NULL_SLACK_DEPTH: i32 = 20;
/// Null move: verified from this depth on, since zugzwang costs most there.
pub const NULL_VERIFY_DEPTH: i32 = 13;

/// ProbCut: so far above beta.
pub const PROBCUT: i32 = 190;
/// ProbCut from this depth on.
pub const PROBCUT_MIN_DEPTH: i32 = 5;
/// ProbCut: the search that confirms it is so much shallower.
pub const PROBCUT_REDUCTION: i32 = 4;

/// Internal iterative reduction from this depth on.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;

/// Late move pruning: moves at depth 0.
pub const LATE_MOVES_BASE: i32 = 4;
/// Late move pruning up to this depth.
pub const LATE_MOVES_MAX_DEPTH: i32 = 8;

/// Futility: so far below alpha.
pub const FUTILITY_BASE: i32 = 95;
/// Futility: and so much more for each ply.
pub const FUTILITY_DEPTH: i32 = 85;
/// Futility up to this depth.
pub const FUTILITY_MAX_DEPTH: i32 = 8;

/// History pruning: quiet moves with less history than this for each ply.
pub const HISTORY_PRUNING: i32 = -3300;
/// History pruning up to this depth.
pub const HISTORY_PRUNING_MAX_DEPTH: i32 = 5;

/// Exchanges: a quiet move may lose this for each ply squared.
pub const QUIET_EXCHANGE: i32 = -22;
/// Exchanges: a capture may lose this for each ply.
pub const CAPTURE_EXCHANGE: i32 = -95;
/// Exchanges are looked at up to this depth.
pub const EXCHANGE_MAX_DEPTH: i32 = 9;

/// Singular extensions from this depth on.
pub const SINGULAR_MIN_DEPTH: i32 = 7;
/// Singular: the table's result may be so much shallower.
pub const SINGULAR_TABLE_DEPTH: i32 = 3;
/// Singular: others must stay below by so much for each ply.
pub const SINGULAR_MARGIN: i32 = 2;
/// Singular: below by so much again, and the extension is double.
pub const DOUBLE_MARGIN: i32 = 18;
/// So many double extensions in one line.
pub const DOUBLE_LIMIT: u8 = 6;

/// Late move reductions from this depth on.
pub const REDUCTION_MIN_DEPTH: i32 = 2;
/// The part of a reduction that depends on nothing.
pub const REDUCTION_BASE: f64 = 0.75;
/// The divisor of ln(depth) × ln(moves).
pub const REDUCTION_DIVISOR: f64 = 2.15;
/// Off the principal variation and expected to fail high.
pub const REDUCTION_CUT_NODE: i32 = 1400;
/// Has been on the principal variation.
pub const REDUCTION_ON_PV: i32 = -1100;
/// The position gets better for the player.
pub const REDUCTION_IMPROVING: i32 = -700;
/// The table's move is a capture.
pub const REDUCTION_TABLE_CAPTURE: i32 = 900;
/// The move gives check.
pub const REDUCTION_CHECK: i32 = -900;
/// The move is the killer.
pub const REDUCTION_KILLER: i32 = -900;
/// The moves after this one often fail high at once.
pub const REDUCTION_CUTOFFS: i32 = 900;
/// So much history is worth a ply.
pub const REDUCTION_HISTORY: i32 = 9000;
/// For captures.
pub const REDUCTION_CAPTURE_HISTORY: i32 = 6000;

/// Quiescence: a capture must bring the evaluation so near to alpha.
pub const QUIESCENCE_FUTILITY: i32 = 160;
/// Quiescence: a capture may lose this much in exchanges.
pub const QUIESCENCE_EXCHANGE: i32 = -20;

/// History: bonus for each ply.
pub const BONUS_DEPTH: i32 = 160;
/// History: less this.
pub const BONUS_OFFSET: i32 = 80;
/// History: at most this.
pub const BONUS_MAX: i32 = 1700;
