//! The terms of the classical evaluation, and the offset of each in the weight vector.
//!
//! The evaluation is a sum of terms, each a count times a weight; a weight is a pair for the
//! middlegame and the endgame. All weights are in one table ([`super::weights`]): a vector for the tuner. Terms that depend on a rank, a distance or a number of squares
//! have one weight for each.

/// A run of weights.
macro_rules! layout {
    ($($(#[$doc:meta])* $name:ident: $len:expr,)*) => {
        layout!(@offsets 0; $($(#[$doc])* $name: $len,)*);
        /// The runs with their names and lengths, in order.
        pub const RUNS: &[(&str, usize)] = &[$((stringify!($name), $len)),*];
    };
    (@offsets $start:expr; $(#[$doc:meta])* $name:ident: $len:expr, $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: usize = $start;
        layout!(@offsets $start + $len; $($rest)*);
    };
    (@offsets $start:expr;) => {
        /// How many weights there are.
        pub const COUNT: usize = $start;
    };
}

layout! {
    /// A piece on a square as its owner sees it: what the piece is worth there. Type × 64.
    PIECE_SQUARE: 6 * 64,
    /// Squares a knight can go to.
    KNIGHT_MOBILITY: 9,
    /// Squares a bishop can go to.
    BISHOP_MOBILITY: 14,
    /// Squares a rook can go to.
    ROOK_MOBILITY: 15,
    /// Squares a queen can go to.
    QUEEN_MOBILITY: 28,
    /// Two bishops.
    BISHOP_PAIR: 1,
    /// Own pawns on squares of the bishop's color.
    BISHOP_PAWNS: 9,
    /// A minor piece that a pawn protects where no enemy pawn can drive it away: knight, bishop.
    OUTPOST: 2,
    /// A rook on a file without pawns, or without own pawns.
    ROOK_FILE: 2,
    /// A rook behind a passed pawn: an own one, an enemy's.
    ROOK_BEHIND_PASSER: 2,
    /// A pawn with no own pawn on the files beside it.
    ISOLATED: 1,
    /// A pawn with an own pawn in front of it.
    DOUBLED: 1,
    /// A pawn that no own pawn can come to protect, and whose advance an enemy pawn guards.
    BACKWARD: 1,
    /// A pawn side by side with another, by rank.
    PHALANX: 8,
    /// A pawn that a pawn protects, by rank.
    PROTECTED: 8,
    /// A pawn that no enemy pawn can stop, by rank.
    PASSED: 8,
    /// A passed pawn that can advance, by rank.
    PASSED_MOBILE: 8,
    /// A passed pawn with nothing, and no enemy attack, on its way to the last rank, by rank.
    PASSED_CLEAR: 8,
    /// Steps of the own king to the square before a far advanced passed pawn.
    PASSED_OWN_KING: 8,
    /// Steps of the enemy king to the square before a far advanced passed pawn.
    PASSED_ENEMY_KING: 8,
    /// The nearest own pawn before the king on his file, then on a file beside, by rank; 0: none.
    SHELTER: 2 * 8,
    /// The nearest enemy pawn before the king on his file, then on a file beside, by rank; 0: none.
    STORM: 2 * 8,
    /// How much is aimed at the enemy king, without and with a queen.
    KING_DANGER: 2 * DANGER_STEPS,
    /// A pawn attacks a piece, by the piece.
    PAWN_THREAT: 6,
    /// A minor piece attacks a piece, by the piece.
    MINOR_THREAT: 6,
    /// A rook attacks a piece, by the piece.
    ROOK_THREAT: 6,
    /// Any piece attacks an undefended piece, by the piece.
    HANGING: 6,
    /// A pawn could attack a piece by a safe advance.
    PUSH_THREAT: 1,
    /// It is the player's move.
    TEMPO: 1,
}

/// Degrees of danger to a king.
pub const DANGER_STEPS: usize = 40;
