//! A large file: games of Chess960 with comments in a dialect of their own.

use std::ops::ControlFlow;

use chess::pgn::{self, Next, PgnError, Replay, Watcher};
use chess::{Move, Position};
use tabiya_data::{Chunk, Input, ReadOptions, read_games};

#[derive(Default)]
struct Count {
    games: u64,
    moves: u64,
    errors: Vec<PgnError>,
}

impl Watcher for Count {
    fn played(&mut self, _: &Position, _: Move, _: &Position) -> Next {
        self.moves += 1;
        Next::Go
    }
    fn error(&mut self, error: PgnError) {
        self.errors.push(error);
    }
    fn end_game(&mut self) {
        self.games += 1;
    }
}

mod shared_data {
    use super::*;

    #[test]
    #[ignore = "needs a file of 12 MB: make test-shared"]
    fn a_file_of_chess960_games_has_as_many_games_and_moves_as_other_readers_find() {
        let path = test_support::shared("pgn/chess960.pgn.zst");
        let work = |chunk: Chunk<'_>| {
            let Chunk::Games(text) = chunk else { panic!("{chunk:?}") };
            let mut replay = Replay::new(Count::default());
            pgn::read(text, &mut replay);
            replay.into_watcher()
        };
        let (mut games, mut moves) = (0, 0);
        read_games(Input::open(&path).unwrap(), &ReadOptions::default(), work, |part: Count, _| {
            assert_eq!(part.errors, []);
            games += part.games;
            moves += part.moves;
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!((games, moves), (1_342, 162_340));
    }
}
