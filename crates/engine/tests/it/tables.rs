//! Tablebase directories and random positions for the tests of tablebases.

use std::path::{Path, PathBuf};

use chess::rng::Rng;
use chess::{Color, Piece, PieceType, Position, Setup, Square};
use tabiya_engine::syzygy::Tablebases;

/// A directory of tables.
pub struct TableDir {
    pub path: PathBuf,
    /// Tables whose successors by capture and promotion are present too.
    pub closed: Vec<String>,
}

impl TableDir {
    pub fn path(&self) -> &str {
        self.path.to_str().expect("a path in UTF-8")
    }

    pub fn open(&self) -> Tablebases {
        let tables = Tablebases::open(self.path()).expect("they can be opened");
        assert_eq!((tables.max_pieces(), tables.skipped()), (4, &[][..]));
        tables
    }

    pub fn has(&self, table: &str) -> bool {
        self.path.join(table).exists()
    }
}

/// The tables of this repository.
pub fn small() -> TableDir {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    let closed = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KRvKR", "KNNvK", "KBvKN", "KBNvK"];
    TableDir { path, closed: closed.map(str::to_owned).into() }
}

/// All tables of three and four pieces.
pub fn all() -> TableDir {
    let path = test_support::shared("syzygy");
    let entries = path.read_dir().expect("a directory").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let closed: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".rtbw")?.to_owned())).collect();
    assert_eq!(closed.len(), 35, "tables in {}", path.display());
    TableDir { path, closed }
}

/// The same position with another halfmove clock.
pub fn with_clock(position: &Position, halfmove_clock: u16) -> Position {
    Setup { halfmove_clock, ..Setup::from(*position) }.position().expect("it was legal before")
}

/// A random legal position of a table's material, with random colors and side to move, that is not the end of
/// a game.
pub fn random_position(rng: &mut Rng, table: &str) -> Position {
    loop {
        let mut setup = Setup::EMPTY;
        let mut color = Color::ALL[rng.below(2)];
        for letter in table.chars() {
            match PieceType::from_letter(letter) {
                Some(piece_type) => setup
                    .board
                    .put(Square::from_index_wrapping(rng.below(64)), Piece::new(color, piece_type)),
                None => color = !color,
            }
        }
        setup.turn = Color::ALL[rng.below(2)];
        if let Ok(position) = setup.position()
            && position.occupied().len() == table.len() - 1
            && position.has_legal_move()
        {
            return position;
        }
    }
}
