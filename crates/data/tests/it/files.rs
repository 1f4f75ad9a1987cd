//! Reading inputs: the same games with every compression, thread count and chunk size; damage is an error,
//! never a panic.

use std::io::{Cursor, Read, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;

use chess::pgn::{self, Next, PgnError, Replay, TagValue, Watcher};
use chess::rng::Rng;
use chess::{Move, Position};
use tabiya_data::{Chunk, Format, Input, ReadError, ReadOptions, read_games};
use test_support::TempDir;

/// Identifies a game: its White, number of moves and error.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Seen {
    white: String,
    moves: usize,
    error: Option<(u64, String)>,
}

#[derive(Default)]
struct Log(Vec<Seen>);

impl Log {
    fn last(&mut self) -> &mut Seen {
        self.0.last_mut().unwrap()
    }
}

impl Watcher for Log {
    fn begin_game(&mut self) -> Next {
        self.0.push(Seen::default());
        Next::Go
    }
    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        if name == b"White" {
            self.last().white = value.text().into_owned();
        }
        Next::Go
    }
    fn played(&mut self, _: &Position, _: Move, _: &Position) -> Next {
        self.last().moves += 1;
        Next::Go
    }
    fn error(&mut self, error: PgnError) {
        self.last().error = Some((error.offset, error.problem.to_string()));
    }
}

fn games(text: &[u8]) -> Vec<Seen> {
    let mut replay = Replay::new(Log::default());
    pgn::read(text, &mut replay);
    replay.into_watcher().0
}

fn read(input: Input, options: &ReadOptions) -> (Vec<Seen>, u64, Result<(), ReadError>) {
    let mut seen = Vec::new();
    let mut offset = 0;
    let convert = |chunk: Chunk<'_>| match chunk {
        Chunk::Games(text) => games(text),
        Chunk::TooLong { .. } => {
            vec![Seen { error: Some((0, "too long".to_owned())), ..Seen::default() }]
        }
    };
    let result = read_games(input, options, convert, |part: Vec<Seen>, bytes| {
        assert!(bytes.start >= offset);
        offset = bytes.start;
        seen.extend(part.into_iter().map(|game| Seen {
            error: game.error.map(|(at, problem)| (at + offset, problem)),
            ..game
        }));
        offset = bytes.end;
        ControlFlow::Continue(())
    });
    (seen, offset, result)
}

fn options(threads: usize, chunk_bytes: usize, max_game_bytes: usize) -> ReadOptions {
    let threads = NonZero::new(threads).unwrap();
    ReadOptions { threads, chunk_bytes, max_game_bytes, parallel_frames: true }
}

/// Games whose borders are hard to find.
fn sample() -> Vec<u8> {
    let mut text = String::new();
    for n in 0..60 {
        text += &format!("[Event \"{n}\"]\n[White \"player {n}\"]\n\n");
        text += match n % 7 {
            0 => "1. e4 e5 2. Nf3 { a comment\n\nof two paragraphs } Nc6 1-0\n\n",
            1 => "1. e4 e5 2. Ke4 *\n\n",
            2 => "1. d4 { not closed\n\n",
            3 => "1. c4 (1. d4 d5 (1... Nf6)) c5\n\n",
            4 => "",
            5 => "1. e4 {\n[Event in a comment]\n} e5 1/2-1/2\n\n",
            _ => "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 0-1\n\n\n",
        };
    }
    text.into_bytes()
}

fn zstd_frame(text: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(text, 3).unwrap()
}

/// Splits a text at any byte, as pzstd does.
fn pzstd(text: &[u8], size: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for part in text.chunks(size) {
        let frame = zstd_frame(part);
        file.extend([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
        file.extend((frame.len() as u32).to_le_bytes());
        file.extend(frame);
    }
    file
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_format_thread_count_and_chunk_size_gives_the_same_games() {
    let text = sample();
    let expected = games(&text);
    assert_eq!(expected.len(), 60);
    assert_eq!(expected.iter().filter(|game| game.error.is_some()).count(), 18);
    let (a, b) = text.split_at(text.len() / 3);
    let files = [
        ("plain", text.clone(), Format::Plain),
        ("zst", zstd_frame(&text), Format::Zstd),
        ("many.zst", [zstd_frame(a), zstd_frame(b)].concat(), Format::Zstd),
        ("p1.zst", pzstd(&text, 700), Format::Zstd),
        ("p2.zst", pzstd(&text, 40), Format::Zstd),
        ("p3.zst", pzstd(&text, 3_000), Format::Zstd),
        ("gz", [gzip(a), gzip(b)].concat(), Format::Gzip),
        ("bz2", [bzip2(a), bzip2(b)].concat(), Format::Bzip2),
    ];
    for (name, bytes, format) in files {
        let dir = TempDir::new();
        let file = dir.write_file(name, &bytes);
        for threads in [1, 2, 4] {
            for chunk in [50, 1_000, 1 << 20] {
                for parallel_frames in [true, false] {
                    let input = Input::open(&file).unwrap();
                    assert_eq!((input.format(), input.size()), (format, Some(bytes.len() as u64)));
                    let options =
                        ReadOptions { parallel_frames, ..options(threads, chunk, 1 << 20) };
                    let (seen, length, result) = read(input, &options);
                    result.unwrap();
                    assert_eq!(length, text.len() as u64, "{name} {threads} {chunk}");
                    assert_eq!(seen, expected, "{name} {threads} {chunk}");
                }
            }
        }
    }
}

#[test]
fn odd_texts_are_split_into_the_same_games_with_every_chunk_size() {
    let pieces = [
        "[Event \"a\"]\n",
        "[White \"b\"]\n",
        " [White \"i\"]\r\n",
        "[ Site\n\"s\" ]\n",
        "\n",
        "\r",
        "\r\r",
        "\u{feff}",
        ";c\n",
        "{c}\n",
        "{{} ",
        "{ open ",
        "1. e4 e5 ",
        "2. Nf3 ",
        "g8f6 ",
        "♘c3 ",
        "*\n",
        "½-½\n",
        "White resigns ",
        "junk ",
        "( ",
        ") ",
    ];
    let mut rng = Rng::new(7, 0);
    let mut random = move |n: usize| rng.below(n);
    for _ in 0..300 {
        let text: String = (0..random(80)).map(|_| pieces[random(pieces.len())]).collect();
        let expected = games(text.as_bytes());
        for chunk in [1, 30, 300] {
            let input = Input::from_reader("text", Cursor::new(text.clone())).unwrap();
            let (seen, length, result) = read(input, &options(2, chunk, 1 << 20));
            result.unwrap();
            assert_eq!(length, text.len() as u64);
            assert_eq!(seen, expected, "{chunk}: {text:?}");
        }
        let dir = TempDir::new();
        let file = dir.write_file("odd.zst", pzstd(text.as_bytes(), 1 + random(90)));
        let (seen, _, result) = read(Input::open(&file).unwrap(), &options(2, 20, 1 << 20));
        result.unwrap();
        assert_eq!(seen, expected, "frames: {text:?}");
    }
}

#[test]
fn a_truncated_file_gives_the_games_before_the_cut_and_an_error() {
    let text = sample();
    let expected = games(&text);
    for (name, bytes) in [
        ("cut.zst", zstd_frame(&text)),
        ("cut-p.zst", pzstd(&text, 700)),
        ("cut.gz", gzip(&text)),
        ("cut.bz2", bzip2(&text)),
    ] {
        for n in 1..24 {
            let at = bytes.len() * n / 24;
            let dir = TempDir::new();
            let file = dir.write_file(name, &bytes[..at]);
            let input = Input::open(&file).unwrap();
            let (seen, length, result) = read(input, &options(2, 500, 1 << 20));
            // A cut between two frames is not detectable.
            if let Err(error) = result {
                assert!(
                    matches!(error, ReadError::Truncated { after, .. } if after == length),
                    "{error}"
                );
            } else {
                assert!(name == "cut-p.zst", "{name} {at}");
            }
            // All but the last game are whole.
            let whole = seen.len().saturating_sub(1);
            assert_eq!(seen[..whole], expected[..whole], "{name} {at}");
        }
    }
}

#[test]
fn damage_is_at_most_an_error_of_one_line() {
    let text = sample();
    let mut rng = Rng::new(5, 0);
    for (name, bytes) in [
        ("bad.zst", zstd_frame(&text)),
        ("bad-p.zst", pzstd(&text, 700)),
        ("bad.gz", gzip(&text)),
        ("bad.bz2", bzip2(&text)),
    ] {
        for _ in 0..40 {
            let mut bytes = bytes.clone();
            let at = rng.below(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
            let dir = TempDir::new();
            let file = dir.write_file(name, &bytes);
            let Ok(input) = Input::open(&file) else { continue };
            let (seen, _, result) = read(input, &options(2, 500, 1 << 20));
            assert!(seen.len() <= 3_000);
            if let Err(error) = result {
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
            }
        }
    }
}

#[test]
fn a_game_beyond_the_limit_is_skipped_and_the_next_one_read() {
    let long = "{ word } ".repeat(5_000);
    let text = format!(
        "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. e4 {long} *\n\n\
         [Event \"c\"]\n[White \"c\"]\n\n1. d4 d5 *\n"
    );
    for chunk in [64, 5_000] {
        for (name, bytes) in [
            ("long.pgn", text.clone().into_bytes()),
            ("long.zst", pzstd(text.as_bytes(), 1_500)),
            ("long1.zst", pzstd(text.as_bytes(), 40_000)),
        ] {
            let dir = TempDir::new();
            let file = dir.write_file(name, &bytes);
            let input = Input::open(&file).unwrap();
            let (seen, length, result) = read(input, &options(3, chunk, 10_000));
            result.unwrap();
            assert_eq!(length, text.len() as u64);
            let whites: Vec<&str> = seen.iter().map(|game| game.white.as_str()).collect();
            assert_eq!(whites, ["a", "", "c"], "{name} {chunk}");
            assert_eq!(seen[1].error, Some((22, "too long".to_owned())));
            assert_eq!(seen[2].moves, 2);
        }
    }
}

#[test]
fn games_without_tags_are_split_at_their_results() {
    let text = "1. e4 e5 2. Nf3 Nc6 1-0\n\n1. d4 d5 *\n".repeat(3_000);
    let input = Input::from_reader("text", Cursor::new(text.clone())).unwrap();
    let (seen, length, result) = read(input, &options(2, 1_000, 4_000));
    result.unwrap();
    assert_eq!((seen.len(), length), (6_000, text.len() as u64));
    assert!(seen.iter().all(|game| game.error.is_none()));
}

#[test]
fn a_decompression_bomb_and_an_endless_line_are_read_in_bounded_memory() {
    // 400 MB of blanks within a game, in a few kilobytes.
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.write_all(b"[White \"a\"]\n\n1. e4 {").unwrap();
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..400 {
        encoder.write_all(&blanks).unwrap();
    }
    encoder.write_all(b"}\n\n[White \"b\"]\n\n1. d4 *").unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 100_000);
    let input = Input::from_reader("bomb", Cursor::new(bomb)).unwrap();
    let (seen, _, result) = read(input, &options(2, 1 << 20, 4 << 20));
    result.unwrap();
    assert_eq!(seen.iter().map(|game| game.moves).collect::<Vec<_>>(), [0, 1]);
    let line = std::io::repeat(b'x').take(100_000_000);
    let input = Input::from_reader("line", line).unwrap();
    let (seen, length, result) = read(input, &options(2, 1 << 20, 4 << 20));
    result.unwrap();
    assert_eq!((seen.len(), length), (1, 100_000_000));
    assert!(seen[0].error.is_some());
}

#[test]
fn unreadable_inputs_are_refused_in_one_line() {
    let missing = Input::open(&PathBuf::from("no/such/file.pgn")).unwrap_err();
    assert!(missing.to_string().starts_with("cannot open no/such/file.pgn: "), "{missing}");
    let folder = Input::open(&std::env::temp_dir()).unwrap_err();
    assert!(folder.to_string().starts_with("cannot open "), "{folder}");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("[Event".bytes().flat_map(|b| [b, 0])).collect();
    let error = Input::from_reader("wide.pgn", Cursor::new(wide)).unwrap_err();
    assert_eq!(error.to_string(), "wide.pgn is UTF-16 text; PGN is UTF-8 or Latin-1");
    let garbage = [&[0x28, 0xb5, 0x2f, 0xfd][..], b"garbage garbage garbage garbage"].concat();
    let input = Input::from_reader("garbage.zst", Cursor::new(garbage)).unwrap();
    let (seen, _, result) = read(input, &options(1, 100, 1_000));
    assert_eq!(seen, []);
    assert!(result.unwrap_err().to_string().starts_with("garbage.zst is damaged: bad zstd data"));
}
