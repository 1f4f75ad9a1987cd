//! The parameters of the search. Scores are in internal units, reductions are in 1024ths of a ply.
//!
//! Each is a function that returns a constant. In a build with the feature `tune` it returns the value of a
//! UCI option of the same name, for `tabiya tune`; all engines of a process then share it. The largest
//! minimum depth, 99, and the smallest maximum depth, −1, switch a step off: `runs/steps.sh` measures what
//! each is worth.

#[cfg(feature = "tune")]
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use uci::{OptionDecl, OptionError};

/// The parameters as options: none, they are constants.
#[cfg(not(feature = "tune"))]
pub fn options() -> Vec<OptionDecl> {
    Vec::new()
}

/// Sets a parameter if the option is one: it never is.
#[cfg(not(feature = "tune"))]
pub fn set(_: &OptionDecl, _: &str) -> Result<bool, OptionError> {
    Ok(false)
}

/// Defines parameters with their ranges for tuning.
macro_rules! margins {
    ($($(#[$doc:meta])* $name:ident = $value:literal in $min:literal..=$max:literal;)*) => {
        $(
            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub const fn $name() -> i32 {
                $value
            }
        )*
        $(
            $(#[$doc])*
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub fn $name() -> i32 {
                values::$name.load(Relaxed)
            }
        )*

        /// The current values.
        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals, reason = "named as their functions")]
        mod values {
            use super::AtomicI32;
            $(pub static $name: AtomicI32 = AtomicI32::new($value);)*
        }

        /// All parameters as options, with their defaults and ranges.
        #[cfg(feature = "tune")]
        pub fn options() -> Vec<OptionDecl> {
            vec![$(OptionDecl::spin(stringify!($name), $value, $min, $max)),*]
        }

        /// Sets a parameter if the option is one.
        #[cfg(feature = "tune")]
        pub fn set(option: &OptionDecl, value: &str) -> Result<bool, OptionError> {
            let parameter = match option.name.as_str() {
                $(stringify!($name) => &values::$name,)*
                _ => return Ok(false),
            };
            parameter.store(option.parse_spin(value)? as i32, Relaxed);
            Ok(true)
        }

        #[cfg(test)]
        #[test]
        fn defaults_are_within_their_ranges() {
            $(assert!(($min..=$max).contains(&$value), stringify!($name));)*
        }
    };
}

margins! {
    /// Aspiration window: half its initial width.
    aspiration = 14 in 4..=60;
    /// Aspiration window: minimum depth.
    aspiration_depth = 4 in 2..=99;

    /// Razoring: margin below alpha, …
    razor_base = 180 in 0..=600;
    /// … plus this times depth².
    razor_depth = 130 in 20..=400;
    /// Razoring: maximum depth.
    razor_max_depth = 4 in -1..=10;

    /// Reverse futility pruning: margin above beta per ply.
    reverse_futility = 48 in 20..=200;
    /// Reverse futility pruning: plus this percentage of the size of the correction.
    reverse_futility_correction = 50 in 0..=200;
    /// Reverse futility pruning: maximum depth.
    reverse_futility_max_depth = 9 in -1..=16;

    /// Null-move pruning: minimum depth.
    null_min_depth = 3 in 1..=99;
    /// Null-move pruning: base reduction, …
    null_reduction = 4 in 2..=7;
    /// … plus depth divided by this, …
    null_depth_divisor = 4 in 2..=8;
    /// … plus the margin above beta divided by this.
    null_score_divisor = 200 in 60..=500;
    /// Null-move pruning: the static evaluation must exceed beta by this, …
    null_slack = 182 in 0..=400;
    /// … minus this per ply.
    null_slack_depth = 20 in 0..=60;
    /// Null-move pruning: minimum depth of a verification search.
    null_verify_depth = 13 in 8..=30;

    /// ProbCut: margin above beta.
    probcut = 203 in 60..=400;
    /// ProbCut: minimum depth.
    probcut_min_depth = 5 in 3..=99;
    /// ProbCut: depth reduction of the confirming search.
    probcut_reduction = 4 in 2..=6;

    /// Small ProbCut: margin of a table score above beta.
    small_probcut = 200 in 60..=30000;

    /// A move that raises alpha reduces the depth of those after it: maximum depth; 2 is never.
    raised_max_depth = 13 in 2..=20;

    /// Internal iterative reduction: minimum depth.
    iir_min_depth = 4 in 2..=99;
    /// Internal iterative reduction of two plies at a cut node: minimum depth.
    iir_twice_min_depth = 8 in 4..=99;

    /// Hindsight: a reduced move that lost more than this by the static evaluations is searched less deep.
    hindsight_margin = 79 in 0..=30000;

    /// Late move pruning: move count at depth 0.
    late_moves_base = 4 in 1..=12;
    /// Late move pruning: maximum depth.
    late_moves_max_depth = 8 in -1..=16;

    /// Futility pruning: margin below alpha, …
    futility_base = 62 in 0..=300;
    /// … plus this per ply.
    futility_depth = 64 in 20..=250;
    /// Futility pruning: maximum depth.
    futility_max_depth = 8 in -1..=16;

    /// History pruning: history threshold per ply.
    history_pruning = -3800 in -9000..=-500;
    /// History pruning: maximum depth.
    history_pruning_max_depth = 5 in -1..=10;

    /// Futility pruning of captures: margin below alpha, besides the captured piece, …
    capture_futility_base = 176 in 0..=500;
    /// … plus this per ply.
    capture_futility_depth = 150 in 20..=400;
    /// Futility pruning of captures: maximum depth.
    capture_futility_max_depth = 6 in -1..=12;

    /// SEE pruning: threshold of quiet moves, times depth².
    see_pruning_quiet = -19 in -80..=-5;
    /// SEE pruning: threshold of captures per ply.
    see_pruning_capture = -100 in -250..=-20;
    /// SEE pruning: maximum depth.
    see_pruning_max_depth = 9 in -1..=16;

    /// Singular extensions: minimum depth.
    singular_min_depth = 5 in 4..=99;
    /// Singular extensions: the table entry may be this much shallower.
    singular_table_depth = 3 in 1..=6;
    /// Singular extensions: margin below the table score, in half centipawns per ply.
    singular_margin = 2 in 1..=8;
    /// Double extension: further margin below the singular beta.
    double_margin = 15 in 0..=80;
    /// Triple extension: further margin below the singular beta.
    triple_margin = 80 in 20..=300;

    /// Late move reductions: minimum depth.
    reduction_min_depth = 2 in 1..=99;
    /// Late move reductions at the root: minimum depth.
    root_reduction_min_depth = 3 in 1..=6;
    /// Late move reductions at the root: moves searched without reduction.
    root_reduction_moves = 3 in 1..=8;
    /// Late move reductions: constant term, in hundredths of a ply.
    reduction_base = 81 in 0..=200;
    /// Late move reductions: divisor of ln(depth) × ln(move number), in hundredths.
    reduction_divisor = 195 in 120..=400;
    /// Late move reductions: at a cut node.
    reduction_cut_node = 1450 in 0..=3000;
    /// Late move reductions: on a principal variation, now or earlier.
    reduction_on_pv = -710 in -3000..=0;
    /// Late move reductions: the static evaluation is improving.
    reduction_improving = -590 in -2500..=0;
    /// Late move reductions: the table move is a capture or promotion.
    reduction_table_capture = 900 in 0..=2500;
    /// Late move reductions: the move gives check.
    reduction_check = -900 in -2500..=0;
    /// Late move reductions: the move is a killer.
    reduction_killer = -900 in -2500..=0;
    /// Late move reductions: at a cut node without a table move.
    reduction_no_table_move = 980 in 0..=2500;
    /// Late move reductions: for each time that alpha was raised in the node.
    reduction_alpha_raises = 470 in 0..=1500;
    /// Late move reductions: at a PV node whose window is as wide as the root's.
    reduction_window = -700 in -2000..=0;
    /// Late move reductions: on a principal variation, a table score above alpha, a table entry as deep.
    reduction_table = -700 in -2000..=0;
    /// Late move reductions: for each centipawn of the correction.
    reduction_correction = -10 in -40..=0;
    /// Late move reductions: cutoffs of children from which on they have failed high often.
    reduction_cutoff_count = 2 in 1..=6;
    /// Late move reductions: children have failed high often.
    reduction_cutoffs = 1320 in 0..=2500;
    /// Late move reductions: quiet history worth one ply.
    reduction_history = 9700 in 3000..=25000;
    /// Late move reductions: capture history worth one ply.
    reduction_capture_history = 6000 in 2000..=20000;

    /// Delta pruning in quiescence: margin.
    quiescence_futility = 196 in 20..=30000;
    /// Quiescence: SEE threshold of captures.
    quiescence_see = -20 in -150..=100;

    /// History bonus per ply, …
    bonus_depth = 203 in 40..=400;
    /// … minus this, …
    bonus_offset = 80 in -100..=400;
    /// … at most this.
    bonus_max = 1700 in 0..=4000;
    /// History malus of a quiet move relative to that of the one before it, in 1024ths.
    malus_decay = 950 in 700..=1024;
    /// History bonus of a quiet move that makes the opponent fail low, in percent.
    fail_low_bonus = 123 in 20..=300;
    /// History malus of an early quiet move that makes the opponent fail high, in percent.
    refuted_malus = 60 in 10..=200;
    /// History bonus of a quiet move per centipawn by which the static evaluation rises, …
    evaluation_bonus = 14 in 2..=50;
    /// … plus this, …
    evaluation_bonus_offset = 10 in -40..=60;
    /// … and at most this much.
    evaluation_bonus_limit = 70 in 20..=200;

    /// Move ordering: bonus of a minor piece that leaves the attack of a pawn, malus of one that enters it, …
    escape_minor = 7000 in 0..=25000;
    /// … of a rook and the attack of a lesser piece, …
    escape_rook = 12000 in 0..=40000;
    /// … of a queen.
    escape_queen = 20000 in 0..=60000;
    /// Move ordering: bonus of a quiet move that gives check.
    check_bonus = 8000 in 0..=25000;

    /// Correction history: units of the summed tables per centipawn.
    correction_unit = 243 in 64..=1000000;
    /// Evaluation scaled by material: its share without pieces, in 1024ths, …
    material_base = 850 in 500..=1100;
    /// … plus this per pawn's worth of pieces.
    material_scale = 5 in 0..=12;
}

/// Double extensions: maximum in one line.
pub const DOUBLE_LIMIT: u8 = 6;
