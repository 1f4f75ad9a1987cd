//! Converts games to rows.
//!
//! A row is a position of the main line, the move played from it, and the annotations of the comment before
//! that move: `1. e4 { [%eval 0.3] } e5` gives the position after 1. e4, the move e7e5 and the evaluation
//! 0.3. The clock is that of the side to move, from the comment after its previous move.
//!
//! Random decisions (split, sample) are seeded by the seed option, the index of the input and the offset
//! of the game in its text, so they do not depend on the threads.

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
use crate::{Column, DataError, MoveHistory, Row, Split};

/// Converts text to rows by the options.
#[derive(Debug)]
pub(crate) struct GameConverter {
    options: PrepareOptions,
    results: Vec<GameResult>,
    /// Whether comments are parsed.
    reads_comments: bool,
    /// Whether [`Rows::games`] is filled in.
    keeps_counts: bool,
    /// Whether rows have a history.
    keeps_history: bool,
    sample: Fraction,
    validation: Fraction,
}

impl GameConverter {
    pub(crate) fn new(options: &PrepareOptions) -> Result<Self, DataError> {
        options.check()?;
        let columns = options.columns()?;
        Ok(Self {
            results: options.wanted_results()?,
            reads_comments: options.with_eval || columns.contains(&Column::Clock),
            keeps_history: columns.contains(&Column::History),
            keeps_counts: options.max_positions.is_some(),
            sample: Fraction::new(options.sample_rate),
            validation: Fraction::new(options.val_fraction),
            options: options.clone(),
        })
    }

    /// Converts whole games. `offset` is the offset of the text in its input.
    pub(crate) fn rows(&self, text: &[u8], input: usize, offset: u64) -> Rows {
        let mut replay = Replay::new(RowBuilder::new(self, input, offset));
        pgn::read(text, &mut replay);
        replay.into_watcher().out
    }
}

/// The rows of a text.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// The rows; games are numbered from 1 in this text.
    pub rows: Vec<Row>,
    pub counts: Counts,
    /// Errors; game numbers and offsets are relative to this text.
    pub errors: Vec<PgnError>,
    /// Number of rows and counts after each game, needed for a maximum number of positions.
    pub games: Vec<(usize, Counts)>,
}

impl Rows {
    /// A game that exceeds the maximum size.
    pub(crate) fn too_long(limit: usize) -> Self {
        let counts = Counts { games: 1, broken_games: 1, ..Counts::default() };
        let problem = PgnProblem::TooLong(limit);
        let errors = vec![PgnError { game: 1, offset: 0, at: None, problem }];
        Self { counts, errors, games: vec![(0, counts)], ..Self::default() }
    }
}

/// A fraction of all 64-bit hashes.
#[derive(Clone, Copy, Debug)]
struct Fraction {
    below: u64,
    is_all: bool,
}

impl Fraction {
    fn new(fraction: f64) -> Self {
        // A cast from float to integer saturates.
        Self { below: (fraction * 2f64.powi(64)) as u64, is_all: fraction >= 1.0 }
    }

    #[inline]
    fn contains(self, hash: u64) -> bool {
        self.is_all || hash < self.below
    }
}

/// Builds rows from the replay of games.
struct RowBuilder<'a> {
    converter: &'a GameConverter,
    input: usize,
    offset: u64,
    out: Rows,
    game: Game,
}

/// State of the current game.
struct Game {
    /// Random seed of the game.
    seed: u64,
    first_row: usize,
    /// Counts before the game.
    before: Counts,
    is_skipped: bool,
    is_broken: bool,
    ply: u32,
    elo: [i16; 2],
    result: GameResult,
    matches_time_control: bool,
    is_chess960: bool,
    split: Split,
    /// Evaluation of the current position.
    score: Option<Score>,
    /// Clocks of White and Black in milliseconds.
    clocks: [i32; 2],
    /// Side that moved last.
    mover: Option<Color>,
    /// The last moves.
    history: MoveHistory,
}

impl<'a> RowBuilder<'a> {
    fn new(converter: &'a GameConverter, input: usize, offset: u64) -> Self {
        let game = Game::new(0, Split::Train, 0, Counts::default());
        Self { converter, input, offset, out: Rows::default(), game }
    }

    /// Applies the filters, and counts the first that leaves the position out.
    #[inline(always)]
    fn is_left_out(&mut self, position: &Position, m: Move) -> bool {
        let options = &self.converter.options;
        let skipped = &mut self.out.counts.skipped_positions;
        let reason = if self.game.ply < options.skip_plies {
            &mut skipped.skip_plies
        } else if !(self.game.ply - options.skip_plies).is_multiple_of(options.every) {
            &mut skipped.every
        } else if !self.converter.sample.is_all
            && !self.converter.sample.contains(mix(self.game.seed ^ u64::from(self.game.ply)))
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
            self.out.counts.skipped_positions.clock_out_of_range += 1;
            return;
        };
        let game = &self.game;
        self.out.rows.push(Row {
            packed: packed.with_move(m).with_score(game.score),
            game: ((self.input as i64) << GAME_BITS) + self.out.counts.games as i64,
            ply: game.ply,
            clock: game.clocks[position.turn().index()],
            elo: game.elo,
            split: game.split,
            chess960: game.is_chess960,
            history: game.history,
        });
        let counts = &mut self.out.counts;
        counts.evals += u64::from(matches!(game.score, Some(Score::Centipawns(_))));
        counts.mates += u64::from(matches!(game.score, Some(Score::Mate(_))));
    }

    /// Updates the state after a move or a null move.
    #[inline(always)]
    fn advance(&mut self, mover: Color) {
        let game = &mut self.game;
        game.ply += 1;
        game.score = None;
        game.clocks[mover.index()] = UNKNOWN;
        game.mover = Some(mover);
        self.out.counts.moves += 1;
    }
}

impl Game {
    fn new(seed: u64, split: Split, first_row: usize, before: Counts) -> Self {
        Self {
            seed,
            first_row,
            before,
            is_skipped: false,
            is_broken: false,
            ply: 0,
            elo: [UNKNOWN as i16; 2],
            result: GameResult::Unknown,
            matches_time_control: false,
            is_chess960: false,
            split,
            score: None,
            clocks: [UNKNOWN; 2],
            mover: None,
            history: MoveHistory::default(),
        }
    }
}

impl Watcher for RowBuilder<'_> {
    fn begin_game_at(&mut self, offset: usize) -> Next {
        let options = &self.converter.options;
        let before = self.out.counts;
        self.out.counts.games += 1;
        let place = mix(self.offset + offset as u64) ^ self.input as u64;
        let seed = mix(mix(options.seed) ^ place);
        let is_validation = self.converter.validation.contains(mix(seed ^ 1 << 63));
        let split = if is_validation { Split::Validation } else { Split::Train };
        self.game = Game::new(seed, split, self.out.rows.len(), before);
        let (part, parts) = options.shard;
        // Independent of the seed, so that runs with different seeds can share the parts.
        if mix(place) % u64::from(parts.max(1)) != u64::from(part.saturating_sub(1)) {
            self.out.counts.skipped_games.other_shard += 1;
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
                let wanted = &self.converter.options.time_controls;
                self.game.matches_time_control = time_class::is_wanted(value.raw(), wanted);
            }
            _ => {}
        }
        Next::Go
    }

    fn begin_moves(&mut self, start: &Position) -> Next {
        let options = &self.converter.options;
        let skipped = &mut self.out.counts.skipped_games;
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
        if !options.time_controls.is_empty() && !self.game.matches_time_control {
            skipped.time_control += 1;
            self.game.is_skipped = true;
            return Next::SkipGame;
        }
        let results = &self.converter.results;
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
        if self.converter.keeps_history {
            self.game.history.push(before, m);
        }
        self.advance(before.turn());
        Next::Go
    }

    fn passed(&mut self, before: &Position, _: &Position) -> Next {
        self.out.counts.skipped_positions.null_move += 1;
        // A null move cannot be undone from the board.
        self.game.history = MoveHistory::default();
        self.advance(before.turn());
        Next::Go
    }

    fn comment(&mut self, text: &[u8]) -> Next {
        if !self.converter.reads_comments {
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
        if self.converter.options.with_eval && game.score.is_none() {
            game.score = score.filter(|&score| PackedRow::has_room_for(score));
            self.out.counts.evals_out_of_range += u64::from(game.score != score);
        }
        Next::Go
    }

    fn result(&mut self, result: GameResult) {
        self.game.result = result;
    }

    fn result_conflict(&mut self, _: PgnError) {
        self.out.counts.result_conflicts += u64::from(!self.game.is_skipped);
    }

    fn error(&mut self, error: PgnError) {
        self.game.is_broken = true;
        self.out.errors.push(error);
    }

    fn end_game(&mut self) {
        let first = self.game.first_row;
        let result = self.game.result;
        for row in &mut self.out.rows[first..] {
            row.packed = row.packed.with_result(result);
        }
        let is_wanted =
            self.converter.results.is_empty() || self.converter.results.contains(&result);
        if !is_wanted && !self.game.is_skipped {
            // Without a tag the result is known only at the end.
            self.out.rows.truncate(first);
            self.out.counts = self.game.before;
            self.out.counts.games += 1;
            self.out.counts.skipped_games.result += 1;
        }
        self.out.counts.broken_games += u64::from(self.game.is_broken);
        if self.converter.keeps_counts {
            self.out.games.push((self.out.rows.len(), self.out.counts));
        }
    }
}
