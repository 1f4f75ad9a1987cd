//! Games from text: a FEN, or PGN, read leniently.

use chess::Position;
use chess::pgn::{GameTree, Next, Reader, Trees, Visitor};

use super::Session;
use super::document::MAX_TREE_BYTES;
use super::refusal::Refusal;

/// The maximum length of a text in a message in bytes; longer texts are uploaded.
const MAX_TEXT: usize = 64 << 10;

/// A game, with the parse error if it is incomplete.
type Loaded = (GameTree, Option<String>);

impl Session {
    /// Opens a text: a FEN, or the first game of a PGN.
    pub(super) fn load(&mut self, text: &str) -> Result<(), Refusal> {
        if text.len() > MAX_TEXT {
            return Err(Refusal::TooLong(MAX_TEXT));
        }
        let ((tree, problem), games) = read(text)?;
        self.open(tree, problem);
        if games > 1 {
            self.inform(format!("The text has {games} games: the first is opened."), "load");
        }
        Ok(())
    }

    pub(super) fn open_upload(&mut self, upload: u64, game: usize) -> Result<(), Refusal> {
        let text = self.uploads.text(upload).ok_or(Refusal::NoUpload)?;
        let (tree, problem) = read_game(&text, game)?;
        self.open(tree, problem);
        Ok(())
    }
}

/// The first game of a text, or a position, and the number of games.
pub fn read(text: &str) -> Result<(Loaded, usize), Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::Empty);
    }
    let fen = Position::from_fen_lenient(text);
    match fen {
        Ok(position) => return Ok(((GameTree::new(position), None), 1)),
        Err(error) if looks_like_fen(text) => return Err(error.into()),
        Err(_) => {}
    }
    let first = read_game(text, 0)?;
    let mut reader = Reader::new(text.as_bytes());
    let games = std::iter::from_fn(|| reader.read_game(&mut Skip).then_some(())).count();
    Ok((first, games))
}

/// A game of a text, counted from 0.
pub fn read_game(text: &str, number: usize) -> Result<Loaded, Refusal> {
    let mut reader = Reader::new(text.as_bytes());
    for _ in 0..number {
        if !reader.read_game(&mut Skip) {
            return Err(Refusal::NoUploadedGame(number));
        }
    }
    let rest = text.as_bytes().get(reader.offset()..).unwrap_or_default();
    match Trees::with_limit(rest, MAX_TREE_BYTES).next() {
        None if number > 0 => Err(Refusal::NoUploadedGame(number)),
        None => Err(Refusal::NoGameText("it contains no move".to_owned())),
        Some(Ok(tree)) => Ok((tree, None)),
        Some(Err(broken)) => {
            let problem = broken.error.to_string();
            let has_tags = broken.tree.tags().any(|(_, value)| !value.starts_with('?'));
            if number == 0 && !has_tags && broken.tree.main_line().next().is_none() {
                return Err(Refusal::NoGameText(problem));
            }
            Ok((broken.tree, Some(problem)))
        }
    }
}

/// Whether a text is one line with eight ranks.
fn looks_like_fen(text: &str) -> bool {
    let placement = text.split_whitespace().next().unwrap_or_default();
    let is_rank = |c: char| c.is_ascii_digit() || "/pnbrqkPNBRQK~".contains(c);
    placement.matches('/').count() >= 6 && placement.chars().all(is_rank)
}

/// Skips games.
struct Skip;

impl Visitor for Skip {
    fn begin_game(&mut self, _: usize) -> Next {
        Next::SkipGame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fens_and_games_are_distinguished() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let ((tree, _), games) = read(fen).unwrap();
        assert_eq!((tree.root().position().fen().as_str(), games), (fen, 1));
        let ((tree, problem), games) =
            read("1. e4 e5 2. Nf3 *\n\n[White \"B\"]\n\n1. d4 1-0").unwrap();
        assert_eq!((tree.main_line().count(), problem, games), (3, None, 2));
        let ((tree, problem), _) = read("1. e4 e5 2. Ke3 Nf6 *").unwrap();
        assert_eq!(tree.main_line().count(), 2);
        assert!(problem.unwrap().contains("Ke3"));
        assert!(matches!(read("  \n "), Err(Refusal::Empty)));
        assert!(matches!(read("8/8/8/8/8/8/8/8 w - - 0 1"), Err(Refusal::Fen(_))));
        assert!(matches!(read("Quatsch mit Soße"), Err(Refusal::NoGameText(_))));
    }

    #[test]
    fn a_game_of_many_is_found() {
        let text: String = (0..50).map(|n| format!("[White \"P{n}\"]\n\n1. e4 e5 *\n\n")).collect();
        for n in [0, 1, 49] {
            let (tree, _) = read_game(&text, n).unwrap();
            assert_eq!(tree.tag("White"), Some(format!("P{n}").as_str()));
        }
        assert!(matches!(read_game(&text, 50), Err(Refusal::NoUploadedGame(50))));
    }

    #[test]
    fn a_game_that_is_too_large_is_truncated() {
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(20_000);
        let (tree, problem) = read_game(&text, 0).unwrap();
        let most = super::super::document::MAX_NODES + 2;
        assert!((most - 10..=most).contains(&tree.node_count()), "{}", tree.node_count());
        assert!(problem.is_some());
    }
}
