//! An unvalidated position.

use crate::validate::{self, SetupProblems};
use crate::zobrist;
use crate::{Bitboard, Board, Color, PieceType, Position, Rank, Square, attacks};

/// An unvalidated position, as from a FEN or a board editor. All fields are public; [`Setup::position`]
/// validates it into a [`Position`].
///
/// ```
/// use tabiya_chess::{Piece, Setup, SetupProblems, Square};
/// let mut setup = Setup::EMPTY;
/// setup.board.put(Square::E1, Piece::from_letter('K').unwrap());
/// setup.board.put(Square::E2, Piece::from_letter('K').unwrap());
/// setup.board.put(Square::A8, Piece::from_letter('P').unwrap());
/// let error = setup.position().unwrap_err();
/// assert_eq!(error.problems, SetupProblems::TOO_MANY_WHITE_KINGS
///     | SetupProblems::NO_BLACK_KING | SetupProblems::PAWN_ON_LAST_RANK);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The pieces.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// The castling rights, as the squares of their rooks.
    pub castling_rooks: Bitboard,
    /// The en-passant square.
    pub en_passant: Option<Square>,
    /// The halfmove clock: plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The fullmove number.
    pub fullmove_number: u16,
}

/// The setup is illegal, with all problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no legal position: {problems}")]
pub struct SetupError {
    /// All problems.
    pub problems: SetupProblems,
}

impl Setup {
    /// An empty board, White to move, no rights.
    pub const EMPTY: Self = Self {
        board: Board::EMPTY,
        turn: Color::White,
        castling_rooks: Bitboard::EMPTY,
        en_passant: None,
        halfmove_clock: 0,
        fullmove_number: 1,
    };

    /// Validates the setup; the error lists all problems.
    ///
    /// An en-passant square without a legal capture is dropped.
    #[inline]
    pub fn position(self) -> Result<Position, SetupError> {
        self.position_forgiving(SetupProblems::empty())
    }

    /// [`Setup::position`] with some problems forgiven: impossible castling rights and en-passant squares are
    /// dropped, impossible checks accepted. Only [`SetupProblems::FORGIVABLE`] ones can be forgiven.
    ///
    /// ```
    /// use tabiya_chess::{Setup, SetupProblems};
    /// let setup = Setup::from_fen("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1")?;
    /// let error = setup.position().unwrap_err();
    /// assert_eq!(error.problems, SetupProblems::CASTLING_RIGHT_WITHOUT_ROOK);
    /// let position = setup.position_forgiving(error.problems).unwrap();
    /// assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn position_forgiving(mut self, forgiven: SetupProblems) -> Result<Position, SetupError> {
        let problems = validate::problems(&self);
        let open = problems - (forgiven & SetupProblems::FORGIVABLE);
        if !open.is_empty() {
            return Err(SetupError { problems: open });
        }
        if !problems.is_empty() {
            self.castling_rooks = validate::possible_castling(&self);
            if problems.contains(SetupProblems::IMPOSSIBLE_EN_PASSANT) {
                self.en_passant = None;
            }
        }
        let mut position = Position {
            board: self.board,
            key: 0,
            pawn_key: 0,
            castling: self.castling_rooks,
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number.max(1),
            en_passant_file: crate::position::NO_FILE,
            turn: self.turn,
        };
        (position.key, position.pawn_key) = zobrist::keys(&position);
        if let Some(square) = self.en_passant {
            let takers =
                attacks::pawn(!self.turn, square) & self.board.pieces(self.turn, PieceType::Pawn);
            position.allow_en_passant(takers, square);
        }
        Ok(position)
    }

    /// The rank of en-passant squares for the side to move.
    pub(crate) fn en_passant_rank(&self) -> Rank {
        Rank::Sixth.relative_to(self.turn)
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self::from(Position::INITIAL)
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Self {
        Self {
            board: position.board,
            turn: position.turn,
            castling_rooks: position.castling,
            en_passant: position.en_passant(),
            halfmove_clock: position.halfmove_clock,
            fullmove_number: position.fullmove_number,
        }
    }
}

impl TryFrom<Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: Setup) -> Result<Self, SetupError> {
        setup.position()
    }
}
