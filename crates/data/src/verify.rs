//! Whether a data set is what it says: every file, every row.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use chess::{PackedRow, Position, Setup, SetupProblems};

use crate::reader::{RowView, Shard};
use crate::row::GAME_BITS;
use crate::threads::in_threads;
use crate::{
    Column, DataError, FileFormat, Manifest, PackedFile, SUCCESS, ShardFile, Split, files,
};

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Files looked at.
    pub files: u64,
    /// Rows looked at.
    pub rows: u64,
    /// Different games among them, if there is a column for it.
    pub games: Option<u64>,
    /// How many things are wrong.
    pub problems: u64,
    /// The first of them, each in a line with its file and row.
    pub first_problems: Vec<String>,
    /// What could not be checked because there is no column for it.
    pub unchecked: Vec<String>,
}

/// `_SUCCESS` holds a hash in hexadecimal and is no longer than this.
const MAX_SUCCESS: u64 = 1 << 12;
/// How many problems are listed.
const LISTED: usize = 100;
/// No game has more moves than this.
const MAX_PLY: i32 = 1 << 24;

#[derive(Default)]
struct Findings {
    verified: Verified,
    games: Seen,
}

/// For each input and split, a bit for every number of a game.
#[derive(Default)]
struct Seen(HashMap<i64, [Vec<u64>; 2]>);

/// No input has more games: a number beyond this would only cost memory.
const MAX_GAMES: i64 = 1 << 33;

impl Seen {
    /// Notes a game; whether its id can be one.
    fn note(&mut self, game: i64, split: Split) -> bool {
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

    /// A game that is in both splits.
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
    fn complain(&mut self, problem: String) {
        self.verified.problems += 1;
        if self.verified.first_problems.len() < LISTED {
            self.verified.first_problems.push(problem);
        }
    }
}

/// Looks at every file and every row of a data set. Only what makes it impossible to go on is an error.
pub fn verify(
    folder: &Path,
    threads: NonZero<usize>,
    progress: impl Fn(u64) + Sync,
) -> Result<Verified, DataError> {
    let manifest = Manifest::open(folder)?;
    let findings = Mutex::new(Findings::default());
    let complain = |problem: String| lock(&findings).complain(problem);
    let success = folder.join(SUCCESS);
    let told =
        regular::read_to_string(&success, MAX_SUCCESS).map_err(DataError::io("read", &success))?;
    if told.trim() != files::hash(&Manifest::path(folder))?.blake3 {
        complain("_SUCCESS: the manifest has another hash".into());
    }
    // Files first: a block of a file that cannot be opened is not worth asking for.
    let next = AtomicUsize::new(0);
    let opened: Mutex<Vec<Option<Shard>>> = Mutex::default();
    lock(&opened).resize_with(manifest.files.len(), || None);
    in_threads(threads, || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = manifest.files.get(n) else { return };
            match check_file(folder, file, &manifest) {
                Ok(shard) => lock(&opened)[n] = Some(shard),
                Err(error) => complain(format!("{}: {error}", file.path)),
            }
        }
    })?;
    let shards = opened.into_inner().unwrap_or_else(PoisonError::into_inner);
    let blocks: Vec<(usize, usize)> = shards
        .iter()
        .enumerate()
        .flat_map(|(n, shard)| {
            let blocks = shard.as_ref().map_or(0, |shard| shard.blocks().len());
            (0..blocks).map(move |block| (n, block))
        })
        .collect();
    let next = AtomicUsize::new(0);
    in_threads(threads, || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(file, block)) = blocks.get(n) else { return };
            let (Some(shard), entry) = (&shards[file], &manifest.files[file]) else { continue };
            check_block(shard, block, entry, manifest.made.is_some(), &findings);
            progress(shard.blocks()[block]);
        }
    })?;
    let mut findings = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    finish(&mut findings, &manifest)?;
    Ok(findings.verified)
}

/// What can only be said in the end.
fn finish(findings: &mut Findings, manifest: &Manifest) -> Result<(), DataError> {
    findings.verified.files = manifest.files.len() as u64;
    let columns = manifest.column_list()?;
    for split in Split::ALL {
        let own = manifest.files.iter().filter(|file| file.split == split);
        let rows: u64 = own.map(|file| file.rows).sum();
        let told = manifest.rows.of(split);
        if rows != told {
            findings.complain(format!("manifest: {told} rows for {split}, {rows} in its files"));
        }
    }
    let told = manifest.counts.positions;
    if told != manifest.rows.train + manifest.rows.validation {
        findings.complain(format!("manifest: {told} positions are not those of the splits"));
    }
    if columns.contains(&Column::Game) {
        findings.verified.games = Some(findings.games.count());
        if let Some(game) = findings.games.leak() {
            let (input, number) = (game >> GAME_BITS, game & ((1 << GAME_BITS) - 1));
            findings.complain(format!("game {number} of input {input} is in both splits"));
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

/// Opens a file after its bytes have been compared with the manifest.
fn check_file(folder: &Path, file: &ShardFile, manifest: &Manifest) -> Result<Shard, DataError> {
    let path = folder.join(&file.path);
    let written = files::hash(&path)?;
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
    if shard.rows() != file.rows {
        let reason = format!("it has {} rows, not {}", shard.rows(), file.rows);
        return Err(DataError::damaged(&path, reason));
    }
    if shard.columns() != manifest.column_list()? {
        return Err(DataError::damaged(&path, "its columns are not those of the manifest"));
    }
    if shard.view() != manifest.options.pov {
        return Err(DataError::damaged(&path, "its point of view is not that of the manifest"));
    }
    Ok(shard)
}

fn check_block(
    shard: &Shard,
    number: usize,
    file: &ShardFile,
    is_made: bool,
    findings: &Mutex<Findings>,
) {
    let block = match shard.read(number, shard.columns()) {
        Ok(block) => block,
        Err(error) => return lock(findings).complain(error.to_string()),
    };
    let before: u64 = shard.blocks()[..number].iter().sum();
    let mut problems = Vec::new();
    let mut games = Vec::new();
    for (n, row) in block.iter().enumerate() {
        if let Err(problem) = check_row(row, shard.columns(), is_made) {
            problems.push(format!("{} row {}: {problem}", file.path, before + n as u64));
        }
        if let Some(game) = row.game().filter(|game| games.last() != Some(game)) {
            games.push(game);
        }
    }
    let mut findings = lock(findings);
    findings.verified.rows += block.len() as u64;
    for game in games {
        if !findings.games.note(game, file.split) {
            problems.push(format!("{}: {game} is no id of a game", file.path));
        }
    }
    for problem in problems {
        findings.complain(problem);
    }
}

/// What is wrong with a row. From positions that were made and not played there need be no move.
fn check_row(row: RowView<'_>, columns: &[Column], is_made: bool) -> Result<(), String> {
    let has = |column: Column| columns.contains(&column);
    let mut position = None;
    if has(Column::Fen) {
        let fen = row.fen().ok_or("there is no FEN")?;
        let read = read_fen(fen)?;
        if read.fen() != fen {
            return Err(format!("'{fen}' should be '{}'", read.fen()));
        }
        position = Some(read);
    }
    if has(Column::Board) {
        let board = row.board().ok_or("there is no board")?;
        let unpacked = board.position().map_err(|error| format!("board: {error}"))?;
        if position.is_some_and(|position| position != unpacked) {
            return Err(format!("board is {}", unpacked.fen()));
        }
        if PackedRow::new(&unpacked) != Some(board) {
            return Err("board has bits set that mean nothing there".into());
        }
        position = Some(unpacked);
    }
    if has(Column::BestMove) && !(is_made && row.best_move().is_none()) {
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

/// Games may begin with a check that cannot have come about; nothing else is forgiven.
fn read_fen(fen: &str) -> Result<Position, String> {
    Position::from_fen(fen).or_else(|error| {
        let setup = Setup::from_fen(fen).map_err(|error| error.to_string())?;
        setup.position_forgiving(SetupProblems::IMPOSSIBLE_CHECK).map_err(|_| error.to_string())
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
