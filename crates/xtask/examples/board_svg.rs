//! A board with everything on it, as SVG on standard output: what the pictures can show.
//!
//! `cargo run -p xtask --example board_svg > board.svg`, with `-- black` from the other side.

use tabiya_chess::svg::{Arrow, BoardPicture, ShapeColor};
use tabiya_chess::{Color, Piece, Square};

/// Scholar's mate.
const BOARD: [&str; 8] = [
    "r.bqk..r", "pppp.Qpp", "..n..n..", "..b.p...", "..B.P...", "........", "PPPP.PPP", "RNB.K.NR",
];

fn main() {
    let piece_on = |square: Square| {
        let row = BOARD[7 - square.rank().index()];
        row.chars().nth(square.file().index()).and_then(Piece::from_letter)
    };
    let picture = BoardPicture {
        orientation: if std::env::args().any(|word| word == "black") {
            Color::Black
        } else {
            Color::White
        },
        last_move: Some((Square::H5, Square::F7)),
        check: Some(Square::E8),
        highlights: Square::D3.bitboard() | Square::D4.bitboard(),
        marks: ShapeColor::ALL
            .into_iter()
            .zip([Square::C5, Square::F6, Square::G4, Square::B3])
            .map(|(color, square)| (square, color))
            .collect(),
        arrows: vec![
            Arrow::new(Square::C4, Square::F7, ShapeColor::Green),
            Arrow::new(Square::F6, Square::E4, ShapeColor::Red),
            Arrow::new(Square::G7, Square::G6, ShapeColor::Yellow),
            Arrow::new(Square::G1, Square::H3, ShapeColor::Blue),
        ],
        size: 800,
        title: "Scholar's mate".to_owned(),
        ..BoardPicture::of(piece_on)
    };
    print!("{}", picture.to_svg());
}
