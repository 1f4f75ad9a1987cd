//! From games to rows.
//!
//! A row is a position from which a move was played in the main line, with that move, and with what the
//! comment before it says of the position: `1. e4 { [%eval 0.3] } e5` gives the position after 1. e4,
//! the move e7e5 and the evaluation 0.3. The clock of a position is that of the player to move, from the
//! comment after his own last move.
//!
//! All chance comes from where a game begins: from the seed, the number of its input and the byte
//! of the text. That is known to whoever reads the game, in whatever thread.

use chess::pgn::{
    self, Annotation, GameResult, Next, PgnError, PgnProblem, Replay, Score, TagValue, Variant,
    Watcher, annotations,
};
use chess::rng::mix;
use chess::{Color, Move, PackedRow, Position};

use super::counts::Counts;
use super::options::PrepareOptions;
use super::time_class;
use crate::row::{GAME_BITS, UNKNOWN};
use crate::{Column, DataError, Row, Split};

/// What to make of games, worked out of the options.
#[derive(Debug)]
pub(crate) struct Recipe {
    options: PrepareOptions,
    results: Vec<GameResult>,
    /// Whether comments are of any use.
    reads_comments: bool,
    /// Whether it must be known after which game how much had been counted.
    keeps_counts: bool,
    sample: Share,
    validation: Share,
}

impl Recipe {
    pub(crate) fn new(options: &PrepareOptions) -> Result<Self, DataError> {
        options.check()?;
        let columns = options.columns()?;
        Ok(Self {
            results: options.wanted_results()?,
            reads_comments: options.with_eval || columns.contains(&Column::Clock),
            keeps_counts: options.max_positions.is_some(),
            sample: Share::new(options.sample_rate),
            validation: Share::new(options.val_fraction),
            options: options.clone(),
        })
    }

    /// The rows of a text of whole games, which begins at this byte of an input.
    pub(crate) fn rows(&self, text: &[u8], input: usize, offset: u64) -> Rows {
        let mut replay = Replay::new(Maker::new(self, input, offset));
        pgn::read(text, &mut replay);
        replay.into_watcher().made
    }
}

/// What came of a text.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// The rows, with games counted from 1 in this text.
    pub rows: Vec<Row>,
    pub counts: Counts,
    /// What is wrong with games, counted and placed within this text.
    pub errors: Vec<PgnError>,
    /// For each game, if that is wanted: how many rows and what else there were when it was over.
    pub games: Vec<(usize, Counts)>,
}

impl Rows {
    /// What comes of a game that is too long to be read.
    pub(crate) fn too_long(limit: usize) -> Self {
        let counts = Counts { games: 1, broken_games: 1, ..Counts::default() };
        let problem = PgnProblem::TooLong(limit);
        let errors = vec![PgnError { game: 1, offset: 0, at: None, problem }];
        Self { counts, errors, games: vec![(0, counts)], ..Self::default() }
    }
}

/// A share of all numbers of 64 bits.
#[derive(Clone, Copy, Debug)]
struct Share {
    below: u64,
    is_all: bool,
}

impl Share {
    fn new(share: f64) -> Self {
        // The conversion stays within the type, whatever the number.
        Self { below: (share * 2f64.powi(64)) as u64, is_all: share >= 1.0 }
    }

    #[inline]
    fn has(self, number: u64) -> bool {
        self.is_all || number < self.below
    }
}

/// Watches games and makes rows.
struct Maker<'a> {
    recipe: &'a Recipe,
    input: usize,
    offset: u64,
    made: Rows,
    game: Game,
}

/// What is known of the game that is being read.
struct Game {
    /// What chance makes of it.
    chance: u64,
    first_row: usize,
    /// What had been counted before it.
    before: Counts,
    is_skipped: bool,
    is_broken: bool,
    ply: u32,
    elo: [i16; 2],
    result: GameResult,
    has_wanted_time: bool,
    is_chess960: bool,
    split: Split,
    /// The evaluation of the position that is on the board.
    score: Option<Score>,
    /// What the clocks show, White's first.
    clocks: [i32; 2],
    /// Who has moved last.
    mover: Option<Color>,
}

impl<'a> Maker<'a> {
    fn new(recipe: &'a Recipe, input: usize, offset: u64) -> Self {
        let game = Game::new(0, Split::Train, 0, Counts::default());
        Self { recipe, input, offset, made: Rows::default(), game }
    }

    /// Whether this position is left out, and counts why.
    #[inline(always)]
    fn is_left_out(&mut self, position: &Position, m: Move) -> bool {
        let options = &self.recipe.options;
        let skipped = &mut self.made.counts.skipped_positions;
        let reason = if self.game.ply < options.skip_plies {
            &mut skipped.skip_plies
        } else if !(self.game.ply - options.skip_plies).is_multiple_of(options.every) {
            &mut skipped.every
        } else if !self.recipe.sample.is_all
            && !self.recipe.sample.has(mix(self.game.chance ^ u64::from(self.game.ply)))
        {
            &mut skipped.sample_rate
        } else if options.only_eval && self.game.score.is_none() {
            &mut skipped.no_eval
        } else if options.no_checks && position.in_check() {
            &mut skipped.check
        } else if options.no_captures && m.is_capture() {
            &mut skipped.capture
        } else {
            return false;
        };
        *reason += 1;
        true
    }

    fn push(&mut self, position: &Position, m: Move) {
        let Some(packed) = PackedRow::new(position) else {
            self.made.counts.skipped_positions.clock_out_of_range += 1;
            return;
        };
        let game = &self.game;
        self.made.rows.push(Row {
            packed: packed.with_move(m).with_score(game.score),
            game: ((self.input as i64) << GAME_BITS) + self.made.counts.games as i64,
            ply: game.ply,
            clock: game.clocks[position.turn().index()],
            elo: game.elo,
            split: game.split,
            chess960: game.is_chess960,
        });
        let counts = &mut self.made.counts;
        counts.evals += u64::from(matches!(game.score, Some(Score::Centipawns(_))));
        counts.mates += u64::from(matches!(game.score, Some(Score::Mate(_))));
    }

    /// A move has been made, or none: what was known of the board is no longer true.
    #[inline(always)]
    fn turn(&mut self, mover: Color) {
        let game = &mut self.game;
        game.ply += 1;
        game.score = None;
        game.clocks[mover.index()] = UNKNOWN;
        game.mover = Some(mover);
        self.made.counts.moves += 1;
    }
}

impl Game {
    fn new(chance: u64, split: Split, first_row: usize, before: Counts) -> Self {
        Self {
            chance,
            first_row,
            before,
            is_skipped: false,
            is_broken: false,
            ply: 0,
            elo: [UNKNOWN as i16; 2],
            result: GameResult::Unknown,
            has_wanted_time: false,
            is_chess960: false,
            split,
            score: None,
            clocks: [UNKNOWN; 2],
            mover: None,
        }
    }
}

impl Watcher for Maker<'_> {
    fn begin_game_at(&mut self, offset: usize) -> Next {
        let options = &self.recipe.options;
        let before = self.made.counts;
        self.made.counts.games += 1;
        let place = mix(self.offset + offset as u64) ^ self.input as u64;
        let chance = mix(mix(options.seed) ^ place);
        let is_aside = self.recipe.validation.has(mix(chance ^ 1 << 63));
        let split = if is_aside { Split::Validation } else { Split::Train };
        self.game = Game::new(chance, split, self.made.rows.len(), before);
        let (part, parts) = options.shard;
        // Parts are the same whatever the seed, so that they can be made by different runs.
        if mix(place) % u64::from(parts.max(1)) != u64::from(part.saturating_sub(1)) {
            self.made.counts.skipped_games.other_shard += 1;
            self.game.is_skipped = true;
            return Next::SkipGame;
        }
        Next::Go
    }

    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        let rating =
            || value.number().and_then(|elo| i16::try_from(elo).ok()).filter(|&elo| elo > 0);
        match name {
            b"WhiteElo" => self.game.elo[0] = rating().unwrap_or(UNKNOWN as i16),
            b"BlackElo" => self.game.elo[1] = rating().unwrap_or(UNKNOWN as i16),
            b"Result" => self.game.result = GameResult::of_tag(value),
            b"Variant" | b"variant" => {
                self.game.is_chess960 |= Variant::parse(value.raw()) == Some(Variant::Chess960);
            }
            b"TimeControl" => {
                let wanted = &self.recipe.options.time_controls;
                self.game.has_wanted_time = time_class::is_wanted(value.raw(), wanted);
            }
            _ => {}
        }
        Next::Go
    }

    fn begin_moves(&mut self, start: &Position) -> Next {
        let options = &self.recipe.options;
        let skipped = &mut self.made.counts.skipped_games;
        let [least, most] = [options.min_elo, options.max_elo];
        let is_rated = self.game.elo.iter().all(|&elo| {
            elo >= 0
                && least.is_none_or(|least| elo >= least)
                && most.is_none_or(|most| elo <= most)
        });
        if (least.is_some() || most.is_some()) && !is_rated {
            skipped.elo += 1;
            self.game.is_skipped = true;
            return Next::SkipGame;
        }
        if !options.time_controls.is_empty() && !self.game.has_wanted_time {
            skipped.time_control += 1;
            self.game.is_skipped = true;
            return Next::SkipGame;
        }
        let results = &self.recipe.results;
        let is_known = self.game.result != GameResult::Unknown;
        if is_known && !results.is_empty() && !results.contains(&self.game.result) {
            skipped.result += 1;
            self.game.is_skipped = true;
            return Next::SkipGame;
        }
        self.game.is_chess960 |= start.has_chess960_castling_rights();
        Next::Go
    }

    #[inline]
    fn played(&mut self, before: &Position, m: Move, _: &Position) -> Next {
        if !self.is_left_out(before, m) {
            self.push(before, m);
        }
        self.turn(before.turn());
        Next::Go
    }

    fn passed(&mut self, before: &Position, _: &Position) -> Next {
        self.made.counts.skipped_positions.null_move += 1;
        self.turn(before.turn());
        Next::Go
    }

    fn comment(&mut self, text: &[u8]) -> Next {
        if !self.recipe.reads_comments {
            return Next::Go;
        }
        let mut clock = None;
        let mut score = None;
        for annotation in annotations(text) {
            match annotation {
                Annotation::Eval(eval) if score.is_none() => score = Some(eval.score),
                Annotation::Clock(time) if clock.is_none() => clock = Some(time.milliseconds),
                _ => {}
            }
        }
        let game = &mut self.game;
        if let (Some(mover), Some(milliseconds)) = (game.mover, clock)
            && game.clocks[mover.index()] == UNKNOWN
        {
            game.clocks[mover.index()] = i32::try_from(milliseconds).unwrap_or(UNKNOWN);
        }
        if self.recipe.options.with_eval && game.score.is_none() {
            game.score = score.filter(|&score| PackedRow::has_room_for(score));
            self.made.counts.evals_out_of_range += u64::from(game.score != score);
        }
        Next::Go
    }

    fn result(&mut self, result: GameResult) {
        self.game.result = result;
    }

    fn result_conflict(&mut self, _: PgnError) {
        self.made.counts.result_conflicts += u64::from(!self.game.is_skipped);
    }

    fn error(&mut self, error: PgnError) {
        self.game.is_broken = true;
        self.made.errors.push(error);
    }

    fn end_game(&mut self) {
        let first = self.game.first_row;
        let result = self.game.result;
        for row in &mut self.made.rows[first..] {
            row.packed = row.packed.with_result(result);
        }
        let is_wanted = self.recipe.results.is_empty() || self.recipe.results.contains(&result);
        if !is_wanted && !self.game.is_skipped {
            // How a game ended may be told only at its end.
            self.made.rows.truncate(first);
            self.made.counts = self.game.before;
            self.made.counts.games += 1;
            self.made.counts.skipped_games.result += 1;
        }
        self.made.counts.broken_games += u64::from(self.game.is_broken);
        if self.recipe.keeps_counts {
            self.made.games.push((self.made.rows.len(), self.made.counts));
        }
    }
}
