//! Verifies a data set: the hash of every file, the content of every row.

use std::collections::HashMap;
use std::path::Path;

use chess::{PackedRow, Position, Setup, SetupProblems};
use serde::Serialize;

use crate::reader::{RowView, Shard};
use crate::row::GAME_BITS;
use crate::{
    Column, DataError, FileFormat, Manifest, PackedFile, SUCCESS, ShardFile, Split, Workers, files,
    pipeline,
};

/// Result of a verification.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Verified {
    /// Number of files.
    pub files: u64,
    /// Number of rows checked.
    pub rows: u64,
    /// Number of distinct games, if there is a column `game`.
    pub games: Option<u64>,
    /// Number of problems.
    pub problems: u64,
    /// The first problems, each in a line with file and row.
    pub first_problems: Vec<String>,
    /// Checks that were not possible because of a missing column.
    pub unchecked: Vec<String>,
}

/// Maximum size of `_SUCCESS`, which holds a hash in hexadecimal.
const MAX_SUCCESS: u64 = 1 << 12;
/// Number of problems listed.
const LISTED: usize = 100;
/// Number of rows after which the stop flag is read.
const ROWS_BETWEEN_STOPS: u64 = 1 << 10;
/// Maximum length of a game.
const MAX_PLY: i32 = 1 << 24;

#[derive(Default)]
struct Findings {
    verified: Verified,
    games: SeenGames,
}

/// A bit set of game numbers for each input and split.
#[derive(Default)]
struct SeenGames(HashMap<i64, [Vec<u64>; 2]>);

/// Maximum number of games of an input, which bounds the bit sets.
const MAX_GAMES: i64 = 1 << 33;

impl SeenGames {
    /// Adds a game; false if its id is invalid.
    fn insert(&mut self, game: i64, split: Split) -> bool {
        let (input, number) = (game >> GAME_BITS, game & ((1 << GAME_BITS) - 1));
        if game < 0 || number == 0 || number > MAX_GAMES || input > 1 << 20 {
            return false;
        }
        let bits = &mut self.0.entry(input).or_default()[split as usize];
        let word = (number / 64) as usize;
        if bits.len() <= word {
            bits.resize((word + 1).next_power_of_two(), 0);
        }
        bits[word] |= 1 << (number % 64);
        true
    }

    /// A game with rows in both splits.
    fn leak(&self) -> Option<i64> {
        self.0.iter().find_map(|(input, [train, validation])| {
            let both = train.iter().zip(validation).enumerate();
            both.filter(|(_, (a, b))| *a & *b != 0)
                .map(|(word, (a, b))| {
                    (input << GAME_BITS) + word as i64 * 64 + i64::from((a & b).trailing_zeros())
                })
                .next()
        })
    }

    fn count(&self) -> u64 {
        let all = self.0.values().flatten().flatten();
        all.map(|word| u64::from(word.count_ones())).sum()
    }
}

impl Findings {
    fn add(&mut self, group: CheckedGroup) {
        self.verified.rows += group.rows;
        group.problems.into_iter().for_each(|problem| self.report(problem));
        for game in group.games {
            if !self.games.insert(game, group.split) {
                self.report(format!("{}: {game} is not a game id", group.path));
            }
        }
    }

    fn report(&mut self, problem: String) {
        self.verified.problems += 1;
        if self.verified.first_problems.len() < LISTED {
            self.verified.first_problems.push(problem);
        }
    }
}

/// Verifies every file and every row of a data set. `progress` receives the number of rows of each row
/// group. Problems are part of the result; an error is returned only if the data set cannot be read, or the
/// workers were [stopped](Workers::until).
pub fn verify<'w>(
    folder: &Path,
    workers: impl Into<Workers<'w>>,
    progress: impl Fn(u64) + Sync,
) -> Result<Verified, DataError> {
    let workers = workers.into();
    let manifest = Manifest::open(folder)?;
    let mut findings = Findings::default();
    let success = folder.join(SUCCESS);
    let hash =
        regular::read_to_string(&success, MAX_SUCCESS).map_err(DataError::io("read", &success))?;
    if hash.trim() != files::hash(&Manifest::path(folder))?.blake3 {
        findings.report("_SUCCESS: the manifest has another hash".into());
    }
    let mut shards = Vec::new();
    // What was not checked to its end has no result.
    let unless_stopped = || match workers.are_stopped() {
        true => Err(DataError::Interrupted { resumes: true }),
        false => Ok(()),
    };
    let check = |file: &ShardFile| {
        let checked = check_file(folder, file, &manifest, workers);
        unless_stopped().map(|()| checked)
    };
    pipeline::for_each(workers, manifest.files.iter(), check, |shard| shards.push(shard))?;
    let mut groups = Vec::new();
    for (shard, file) in shards.iter().zip(&manifest.files) {
        match shard {
            Ok(shard) => groups.extend((0..shard.row_groups().len()).map(|n| (shard, n, file))),
            Err(error) => findings.report(format!("{}: {error}", file.path)),
        }
    }
    let is_generated = manifest.plan.generator.is_some();
    let check = |(shard, group, file): (&Shard, usize, &ShardFile)| {
        let checked = check_row_group(shard, group, file, is_generated, workers);
        progress(shard.row_groups()[group]);
        unless_stopped().map(|()| checked)
    };
    pipeline::for_each(workers, groups.into_iter(), check, |group| findings.add(group))?;
    finish(&mut findings, &manifest)?;
    Ok(findings.verified)
}

/// Checks of the whole data set.
fn finish(findings: &mut Findings, manifest: &Manifest) -> Result<(), DataError> {
    findings.verified.files = manifest.files.len() as u64;
    let columns = manifest.column_list()?;
    for split in Split::ALL {
        let own = manifest.files.iter().filter(|file| file.split == split);
        let rows: u64 = own.map(|file| file.rows).sum();
        let declared = manifest.rows.of(split);
        if rows != declared {
            findings.report(format!("manifest: {declared} rows for {split}, {rows} in its files"));
        }
    }
    let declared = manifest.counts.positions;
    if declared != manifest.rows.total() {
        findings.report(format!("manifest: {declared} positions are not those of the splits"));
    }
    if columns.contains(&Column::Game) {
        findings.verified.games = Some(findings.games.count());
        if let Some(game) = findings.games.leak() {
            let (input, number) = (game >> GAME_BITS, game & ((1 << GAME_BITS) - 1));
            findings.report(format!("game {number} of input {input} is in both splits"));
        }
    } else {
        let note = "whether a game is in both splits: there is no column 'game'";
        findings.verified.unchecked.push(note.into());
    }
    for (column, what) in [
        (Column::Fen, "FEN"),
        (Column::Board, "packed boards"),
        (Column::BestMove, "moves"),
        (Column::Eval, "evaluations"),
    ] {
        if !columns.contains(&column) {
            findings.verified.unchecked.push(format!("{what}: there is no column '{column}'"));
        }
    }
    Ok(())
}

/// Opens a shard and compares it with the manifest.
fn check_file(
    folder: &Path,
    file: &ShardFile,
    manifest: &Manifest,
    workers: Workers<'_>,
) -> Result<Shard, DataError> {
    let path = folder.join(&file.path);
    let written = files::hash_until(&path, workers)?;
    if written.bytes != file.bytes {
        let reason = format!("it has {} bytes, not {}", written.bytes, file.bytes);
        return Err(DataError::damaged(&path, reason));
    }
    if written.blake3 != file.blake3 {
        return Err(DataError::damaged(&path, "its hash is not that of the manifest"));
    }
    if manifest.format() == FileFormat::Packed {
        PackedFile::open(&path)?.check_hash()?;
    }
    let shard = Shard::open(&path)?;
    shard.check_rows(file.rows)?;
    if shard.columns() != manifest.column_list()? {
        return Err(DataError::damaged(&path, "its columns are not those of the manifest"));
    }
    if shard.view() != manifest.plan.options.pov {
        return Err(DataError::damaged(&path, "its point of view is not that of the manifest"));
    }
    Ok(shard)
}

/// Result of a row group.
struct CheckedGroup {
    path: String,
    split: Split,
    rows: u64,
    /// Ids of games; neighbors differ.
    games: Vec<i64>,
    problems: Vec<String>,
}

fn check_row_group(
    shard: &Shard,
    group: usize,
    file: &ShardFile,
    is_generated: bool,
    workers: Workers<'_>,
) -> CheckedGroup {
    let (path, split) = (file.path.clone(), file.split);
    let mut checked =
        CheckedGroup { path, split, rows: 0, games: Vec::new(), problems: Vec::new() };
    let batch = match shard.read(group, shard.columns()) {
        Ok(batch) => batch,
        Err(error) => {
            checked.problems.push(error.to_string());
            return checked;
        }
    };
    checked.rows = batch.len() as u64;
    for (row, number) in batch.iter().zip(shard.rows_of(group)) {
        if number.is_multiple_of(ROWS_BETWEEN_STOPS) && workers.are_stopped() {
            break;
        }
        if let Err(problem) = check_row(row, shard.columns(), is_generated) {
            checked.problems.push(format!("{} row {number}: {problem}", file.path));
        }
        if let Some(game) = row.game().filter(|game| checked.games.last() != Some(game)) {
            checked.games.push(game);
        }
    }
    checked
}

/// Checks a row. A generated position may have no move.
fn check_row(row: RowView<'_>, columns: &[Column], is_generated: bool) -> Result<(), String> {
    let has = |column: Column| columns.contains(&column);
    let mut position = None;
    if has(Column::Fen) {
        let fen = row.fen().ok_or("there is no FEN")?;
        let parsed = parse_fen(fen)?;
        if parsed.fen() != fen {
            return Err(format!("'{fen}' should be '{}'", parsed.fen()));
        }
        position = Some(parsed);
    }
    if has(Column::Board) {
        let board = row.board().ok_or("there is no board")?;
        let unpacked = board.position().map_err(|error| format!("board: {error}"))?;
        if position.is_some_and(|position| position != unpacked) {
            return Err(format!("board is {}", unpacked.fen()));
        }
        if PackedRow::new(&unpacked) != Some(board) {
            return Err("board has unused bits set".into());
        }
        position = Some(unpacked);
    }
    if let (Some(history), Some(position)) = (row.history(), &position) {
        history.boards(position).map_err(|error| error.to_string())?;
        if history.is_empty() {
            return Err("history is empty and not null".into());
        }
    }
    if has(Column::BestMove) && !(is_generated && row.best_move().is_none()) {
        let text = row.best_move().ok_or("there is no move")?;
        if let Some(position) = &position {
            position.parse_uci(text).map_err(|error| error.to_string())?;
        }
    }
    if let Some(eval) = row.eval().filter(|eval| eval.abs() > PackedRow::MAX_CENTIPAWNS) {
        return Err(format!("an evaluation of {eval} is out of range"));
    }
    if row.mate() == Some(i8::MIN) {
        return Err("a mate in -128 is out of range".into());
    }
    if row.eval().is_some() && row.mate().is_some() {
        return Err("there is an evaluation and a mate".into());
    }
    if let Some(result) = row.result().filter(|result| !(-1..=1).contains(result)) {
        return Err(format!("{result} is no result"));
    }
    if has(Column::Ply) && !row.ply().is_some_and(|ply| (0..MAX_PLY).contains(&ply)) {
        return Err("there is no ply, or it is out of range".into());
    }
    if has(Column::Game) && row.game().is_none() {
        return Err("there is no game".into());
    }
    if [row.white_elo(), row.black_elo()].into_iter().flatten().any(|elo| elo <= 0) {
        return Err("a rating is not positive".into());
    }
    if row.clock().is_some_and(|clock| clock < 0) {
        return Err("a clock is negative".into());
    }
    Ok(())
}

/// Parses a FEN. Games may start from an impossible check; nothing else is tolerated.
fn parse_fen(fen: &str) -> Result<Position, String> {
    Position::from_fen(fen).or_else(|error| {
        let setup = Setup::from_fen(fen).map_err(|error| error.to_string())?;
        setup.position_forgiving(SetupProblems::IMPOSSIBLE_CHECK).map_err(|_| error.to_string())
    })
}
