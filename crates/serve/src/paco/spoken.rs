//! Turns in words, for screen readers.

use chess::Color;
use paco::{Action, PieceType, Position, Required};

use super::record::piece_name;

/// Actions from a position in words: "White pawn from e4 unites with black pawn on d5".
pub fn spoken(before: &Position, actions: &[Action]) -> String {
    let mut position = *before;
    let mut text = String::new();
    for &action in actions {
        let now = position;
        position.play_unchecked(action);
        describe(&mut text, &now, action, &position);
    }
    text
}

fn describe(text: &mut String, before: &Position, action: Action, after: &Position) {
    let player = before.player();
    match action {
        Action::Lift(square) => {
            if !text.is_empty() {
                text.push_str(", then ");
            }
            let Some(hand) = after.hand() else { return };
            *text += &format!("{player} {}", piece_name(hand.piece));
            if let Some(partner) = hand.partner {
                *text += &format!(" with {} {}", lower(!player), piece_name(partner));
            }
            *text += &format!(" from {square}");
        }
        Action::Place(square) => {
            let Some(hand) = before.hand() else { return };
            // What is released hovers over the union it came from.
            let link = if before.occupied().has(hand.square) { ", which" } else { "" };
            let castles = hand.piece == PieceType::King
                && hand.square.file().index().abs_diff(square.file().index()) > 1;
            *text += &match before.piece_at(!player, square) {
                _ if castles => format!(" castles to {square}"),
                Some(partner) if after.hand().is_none() && hand.partner.is_none() => {
                    format!(
                        "{link} unites with {} {} on {square}",
                        lower(!player),
                        piece_name(partner)
                    )
                }
                _ if link.is_empty() => format!(" to {square}"),
                _ => format!("{link} goes to {square}"),
            };
        }
        Action::Promote(piece) => {
            let subject =
                if text.is_empty() { format!("{player} pawn") } else { " and".to_owned() };
            *text += &format!("{subject} promotes to {}", piece_name(piece));
        }
    }
    // A pawn that arrives on its last row is promoted before the chain goes on.
    if let (Action::Place(_) | Action::Promote(_), Some(released)) = (action, after.hand())
        && after.required() == Required::Place
    {
        *text += &format!(", releasing the {}", piece_name(released.piece));
    }
}

fn lower(color: Color) -> &'static str {
    if color.is_white() { "white" } else { "black" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(fen: &str, turn: &str) -> String {
        let position: Position = fen.parse().unwrap();
        spoken(&position, &position.parse_turn(turn).unwrap())
    }

    #[test]
    fn turns_read_as_sentences() {
        let start = Position::default().to_string();
        assert_eq!(words(&start, "e2>e4"), "White pawn from e2 to e4");
        let fen = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w 0 AHah - -";
        assert_eq!(words(fen, "e4xd5"), "White pawn from e4 unites with black pawn on d5");
        let fen = "rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -";
        let chain = "Black queen from d8 to d5, releasing the pawn, which goes to d4";
        assert_eq!(words(fen, "Qd8>Pd5>d4"), chain);
        let fen = "rnbqkbnr/p1p2ppp/8/1e2p3/4P3/2N5/PPPP1PPP/R1BQK1NR w 0 AHah - -";
        let paco =
            "White knight from c3 to b5, releasing the bishop, which unites with black king on e8";
        assert_eq!(words(fen, "Nc3>Bb5xe8"), paco);
        let promotion = "White pawn from b7 to c8 and promotes to queen, releasing the bishop, which goes to h3";
        assert_eq!(words("2s1k3/1P6/8/8/8/8/8/4K3 w 0 - - -", "b7>Bc8=Q>h3"), promotion);
        let fen = "4k3/8/7C/8/8/8/8/4K3 b 0 - - -";
        assert_eq!(words(fen, "RPh6>h5"), "Black rook with white pawn from h6 to h5");
    }
}
