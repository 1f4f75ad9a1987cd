//! FEN of any state.
//!
//! Well-formed text goes to the parser of the chess library. Beyond that these are accepted: missing fields
//! at the end, several blanks, `~` behind promoted pieces, an en-passant square on any rank.

use chess::{Bitboard, Board, FenError, FenStyle, FenWriter, Rank, Setup, Square};

use super::state::State;

/// Which en-passant square is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EnPassant {
    /// If a capture there is legal.
    Legal,
    /// If a capture there is pseudo-legal (X-FEN).
    PseudoLegal,
    /// After every double push.
    Always,
}

impl State {
    /// Parses a FEN.
    pub fn from_fen(fen: &str, chess960: bool) -> Result<Self, FenError> {
        let state = match Setup::from_fen(fen) {
            Ok(setup) => Self::from(setup),
            Err(_) => lenient(fen)?,
        };
        let fullmove_number = state.setup.fullmove_number.max(1);
        Ok(Self { setup: Setup { fullmove_number, ..state.setup }, chess960, ..state })
    }

    /// Parses the piece placement of a FEN.
    pub fn parse_placement(text: &str) -> Result<(Board, Bitboard), FenError> {
        let plain = text.replace('~', "");
        let setup = Setup::from_fen(&format!("{plain} w - - 0 1"))?;
        Ok((setup.board, promoted(text)))
    }

    /// The FEN with these castling letters, this en-passant square and perhaps marks of promoted pieces.
    pub fn fen(&self, style: FenStyle, en_passant: EnPassant, mark_promoted: bool) -> String {
        let mut bytes = Vec::with_capacity(96);
        let shown = Setup {
            castling_rooks: self.clean_castling_rights(),
            en_passant: self.shown_en_passant(en_passant),
            ..self.setup
        };
        FenWriter::new(style).append_setup(&shown, &mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if mark_promoted { self.mark_promoted(&text) } else { text }
    }

    fn shown_en_passant(&self, shown: EnPassant) -> Option<Square> {
        let all = Bitboard::FULL;
        self.setup.en_passant.filter(|_| match shown {
            EnPassant::Always => true,
            EnPassant::PseudoLegal => !self.pseudo_legal_en_passant(all, all).is_empty(),
            EnPassant::Legal => self.has_legal_en_passant(),
        })
    }

    fn mark_promoted(&self, fen: &str) -> String {
        let mut marked = String::with_capacity(fen.len() + 8);
        let (placement, rest) = fen.split_once(' ').unwrap_or((fen, ""));
        for (letter, square) in squares_of(placement) {
            marked.push(letter);
            if letter.is_ascii_alphabetic() && self.promoted.has(square) {
                marked.push('~');
            }
        }
        if rest.is_empty() { marked } else { format!("{marked} {rest}") }
    }
}

/// The characters of a placement, each with the square it begins at; `~` has the square of the piece before.
fn squares_of(placement: &str) -> impl Iterator<Item = (char, Square)> {
    let (mut rank, mut file) = (7usize, 0usize);
    let mut last = Square::A8;
    placement.chars().map(move |letter| {
        if letter == '~' {
            return (letter, last);
        }
        last = Square::from_index_wrapping(rank * 8 + file);
        match letter.to_digit(10) {
            Some(empty) => file += empty as usize,
            None if letter == '/' => (rank, file) = (rank.saturating_sub(1), 0),
            None => file += 1,
        }
        (letter, last)
    })
}

/// The squares of the pieces with `~` behind them.
fn promoted(placement: &str) -> Bitboard {
    squares_of(placement).filter(|&(letter, _)| letter == '~').map(|(_, square)| square).collect()
}

fn lenient(fen: &str) -> Result<State, FenError> {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    for default in ["8/8/8/8/8/8/8/8", "w", "-", "-", "0", "1"].iter().skip(fields.len()) {
        fields.push(default);
    }
    let placement = fields[0];
    let plain = placement.replace('~', "");
    fields[0] = &plain;
    // Any square is stored as the en-passant square; whether it makes sense is a matter of status.
    let square = fields[3].parse::<Square>().ok();
    let odd = square.filter(|square| !matches!(square.rank(), Rank::Third | Rank::Sixth));
    let wrong_side =
        square.is_some_and(|square| (square.rank() == Rank::Third) != (fields[1] == "b"));
    if odd.is_some() || wrong_side {
        fields[3] = "-";
    }
    let mut setup = Setup::from_fen(&fields.join(" "))?;
    setup.en_passant = square;
    Ok(State { promoted: promoted(placement), ..State::from(setup) })
}
