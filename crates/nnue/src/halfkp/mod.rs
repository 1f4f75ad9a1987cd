//! Stockfish's first networks: HalfKP, 41024→256×2→32→32→1, as nnue-probe and many engines read them.
//!
//! For each player there is a half of 256 numbers: a bias and one row of weights for each piece on
//! the board, chosen by that player's king, the piece and its square ([`features`]). The mover's half
//! comes first, both are clipped to 0..=127 and go through two hidden layers of 32 and one output.
//! All of it is whole numbers, so every machine and every instruction set gives the same value:
//! [`simd`]'s scalar functions are the specification, the others give the same bits.
//!
//! [`Network::from_bytes`] reads a file, [`Network::evaluate`] a position from scratch,
//! [`Accumulators`] keeps in step with a search. Values are those that nnue-probe returns: Stockfish's
//! internal units (a pawn is a little above 200), from the side to move.
//!
//! The network in a picture: <https://www.chessprogramming.org/Stockfish_NNUE#HalfKP>.

mod accumulators;
pub mod features;
mod file;
mod layers;
mod simd;

use std::fmt;

use chess::{Board, Color, PieceType, Position, Square};

pub use accumulators::Accumulators;
pub use file::{LoadError, VERSION};
pub use simd::InstructionSet;

use features::{Features, difference};
use layers::Layers;

/// The numbers of one player's half of the first layer.
pub const HALF: usize = 256;
/// The output of the last layer is so many times the value.
const OUTPUT_SCALE: i32 = 16;

/// One player's half of the first layer: a sum of rows, before it is clipped. A row of weights and
/// the bias have the same shape.
///
/// Sums wrap around as those of the instruction sets do; those of a network that was trained never
/// come near.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Half(pub [i16; HALF]);

impl Half {
    /// Nothing but zeros.
    pub const ZERO: Self = Self([0; HALF]);
}

/// A HalfKP network: immutable, and shared between threads by reference or [`Arc`](std::sync::Arc).
///
/// ```no_run
/// use chess::Position;
/// use nnue::halfkp::Network;
/// let network = Network::from_bytes(&std::fs::read("nn-62ef826d1a6d.nnue")?)?;
/// println!("{}", network.evaluate(&Position::INITIAL));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Network {
    description: String,
    bias: Half,
    /// One for each feature.
    rows: Box<[Half]>,
    layers: Layers,
    instructions: InstructionSet,
}

impl Network {
    /// What the file says of itself, as text.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The instructions it computes with.
    pub fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// Lets it compute with these instructions, or leaves things as they are and says `false` if the
    /// machine does not have them. Values do not depend on it; it is for tests and measurements.
    pub fn use_instructions(&mut self, instructions: InstructionSet) -> bool {
        let there = instructions.is_there();
        if there {
            self.instructions = instructions;
        }
        there
    }

    /// The value of a position for the side to move, from scratch.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let kings = Color::ALL.map(|color| position.king(color));
        self.value(&Features::of(position.board(), kings), position.turn())
    }

    /// The value of pieces on a board for one player to move. The position need not be legal, but
    /// there is no value unless each player has one king.
    pub fn evaluate_board(&self, board: &Board, turn: Color) -> Option<i32> {
        let [white, black] = Color::ALL.map(|player| king(board, player));
        Some(self.value(&Features::of(board, [white?, black?]), turn))
    }

    /// A player's half for a board: what an incremental evaluation begins with. There is none unless
    /// he has one king.
    pub fn half(&self, board: &Board, player: Color) -> Option<Half> {
        let (_, added) = difference(player, king(board, player)?, &Board::EMPTY, board);
        Some(self.changed(&self.bias, &[], added.as_slice()))
    }

    /// A half with some features gone and others come. Features that are none are passed over.
    pub fn changed(&self, half: &Half, removed: &[u16], added: &[u16]) -> Half {
        let mut changed = Half::ZERO;
        self.change(half, removed, added, &mut changed);
        changed
    }

    /// The value for one player to move, from each player's half, White's first.
    pub fn evaluate_halves(&self, halves: &[Half; 2], turn: Color) -> i32 {
        let (own, other) = (&halves[turn.index()], &halves[(!turn).index()]);
        self.instructions.output(&self.layers, own, other) / OUTPUT_SCALE
    }

    fn value(&self, features: &Features, turn: Color) -> i32 {
        let mut halves = [Half::ZERO; 2];
        for (player, half) in Color::ALL.into_iter().zip(&mut halves) {
            self.change(&self.bias, &[], features.of_player(player), half);
        }
        self.evaluate_halves(&halves, turn)
    }

    #[inline]
    fn change(&self, from: &Half, removed: &[u16], added: &[u16], to: &mut Half) {
        self.instructions.change(&self.rows, from, removed, added, to);
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("description", &self.description)
            .field("instructions", &self.instructions)
            .finish_non_exhaustive()
    }
}

/// Where a player's king is, if he has one and not more.
fn king(board: &Board, player: Color) -> Option<Square> {
    let kings = board.pieces(player, PieceType::King);
    kings.first().filter(|_| kings.len() == 1)
}
