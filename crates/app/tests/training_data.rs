//! `tabiya nnue rescore` and `tabiya selfplay` as scripts call them: what they write, what they say of
//! nonsense, and what is there after they were killed.

mod folder;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use chess::pgn::{GameResult, Score};
use chess::{Color, PackedRow};
use data::{PackedFile, Split};
use folder::Folder;
use nnue::{AnyNetwork, Network, Shape};

const TABIYA: &str = env!("CARGO_BIN_EXE_tabiya");

fn tabiya(arguments: &[&str]) -> Output {
    Command::new(TABIYA).args(arguments).output().unwrap()
}

/// Runs the program, which must succeed, and gives what it printed.
fn done(arguments: &[&str]) -> serde_json::Value {
    let output = tabiya(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Runs the program, which must fail with this exit code and one line, and gives the line.
fn failed(arguments: &[&str], code: i32) -> String {
    let output = tabiya(arguments);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {complaint}");
    if code == 1 {
        assert_eq!(complaint.lines().count(), 1, "{arguments:?}: {complaint}");
    }
    complaint
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            all.extend(
                contents(&path).into_iter().map(|(below, b)| (format!("{name}/{below}"), b)),
            );
        } else {
            all.insert(name, fs::read(&path).unwrap());
        }
    }
    all
}

/// All rows of a data set.
fn rows(folder: &str, split: Split) -> Vec<PackedRow> {
    let folder = Path::new(folder);
    let manifest = data::Manifest::open(folder).unwrap();
    let mut all = Vec::new();
    for file in manifest.files.iter().filter(|file| file.split == split) {
        let mut rows = Vec::new();
        let mut packed = PackedFile::open(&folder.join(&file.path)).unwrap();
        packed.read(0, file.rows as usize, &mut rows).unwrap();
        all.extend(rows);
    }
    all
}

/// A data set of packed rows: games with captures and checks, a third of them for validation.
fn source(folder: &Folder, games: usize) -> String {
    let openings = [
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. Bxf7+ Kxf7 5. Nxe5+ Nxe5 6. d4 Bb4+ 7. c3 1-0",
        "1. d4 d5 2. c4 dxc4 3. e3 b5 4. a4 c6 5. axb5 cxb5 6. Qf3 0-1",
        "1. e4 c5 2. Nf3 d6 3. Bb5+ Bd7 4. Bxd7+ Qxd7 5. O-O Nf6 6. e5 dxe5 7. Nxe5 1/2-1/2",
        "1. f3 e5 2. g4 Qh4# 0-1",
    ];
    let text: String =
        (0..games).map(|n| format!("[Event \"{n}\"]\n\n{}\n\n", openings[n % 4])).collect();
    let (pgn, out) = (folder.path("games.pgn"), folder.path("rows"));
    fs::write(&pgn, text).unwrap();
    let fixed = ["data", "prepare", &pgn, "--out", &out, "--format", "packed", "--json"];
    done(&[&fixed[..], &["--val-fraction", "0.3", "--shard-rows", "700"]].concat());
    out
}

#[test]
fn rescored_rows_keep_all_but_their_scores_and_checks_are_left_out() {
    let folder = Folder::new("rescore");
    let (input, out) = (source(&folder, 40), folder.path("out"));
    let report = done(&["nnue", "rescore", &input, "--out", &out, "--json"]);
    for split in Split::ALL {
        let before: Vec<PackedRow> = rows(&input, split)
            .into_iter()
            .filter(|row| !row.position().unwrap().in_check())
            .collect();
        let after = rows(&out, split);
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before.with_score(after.score().unwrap()), *after);
            assert!(matches!(after.score(), Ok(Some(Score::Centipawns(_)))));
        }
        assert!(after.iter().any(|row| row.best_move().unwrap().is_capture()));
        assert_eq!(report[split.name()], after.len());
    }
    assert!(report["skipped"]["check"].as_u64().unwrap() > 0);
    assert_eq!(tabiya(&["data", "verify", &out]).status.code(), Some(0));
    // A file alone is enough, and the filters do what they say.
    let file = format!("{input}/train/train-00000.rows");
    let quiet = folder.path("quiet");
    done(&["nnue", "rescore", &file, "--out", &quiet, "--no-captures", "--quiescence"]);
    let quiet = rows(&quiet, Split::Train);
    assert!(!quiet.is_empty() && quiet.iter().all(|row| !row.best_move().unwrap().is_capture()));
    let checks = folder.path("checks");
    done(&["nnue", "rescore", &input, "--out", &checks, "--keep-checks", "--nodes", "50"]);
    assert_eq!(rows(&checks, Split::Train).len(), rows(&input, Split::Train).len());
}

#[test]
fn positions_beside_others_are_legal_quiet_and_without_result_whatever_the_threads() {
    let folder = Folder::new("vary");
    let input = source(&folder, 60);
    let make = |name: &str, more: &[&str]| {
        let out = folder.path(name);
        let fixed = ["nnue", "rescore", &input, "--out", &out, "--vary", "3"];
        done(&[&fixed[..], more].concat());
        contents(Path::new(&out))
    };
    let one = make("one", &["--threads", "1"]);
    assert!(one == make("three", &["--threads", "3"]));
    assert!(one != make("other", &["--seed", "6"]));
    let all = rows(&folder.path("one"), Split::Train);
    let plain = rows(&input, Split::Train).len();
    assert!(all.len() > 3 * plain && all.len() <= 4 * plain, "{} of {plain}", all.len());
    for row in &all {
        let row = row.unpack().unwrap();
        assert!(!row.position.in_check() && row.position.has_legal_move());
        assert_eq!(row.best_move.is_none(), row.result == GameResult::Unknown);
        assert!(row.score.is_some());
    }
    assert_eq!(tabiya(&["data", "verify", &folder.path("one")]).status.code(), Some(0));
    make("unique", &["--dedup"]);
    let mut seen = std::collections::HashSet::new();
    let unique = rows(&folder.path("unique"), Split::Train);
    assert!(unique.iter().all(|row| seen.insert(row.as_bytes()[..24].to_vec())));
    assert!(!unique.is_empty() && unique.len() < all.len());
}

#[test]
fn scores_are_those_of_the_network_centipawns_for_white() {
    let folder = Folder::new("network");
    let input = source(&folder, 12);
    let shape = Shape { mirrored: true, ..Shape::plain(32) };
    let own = folder.path("own.nnue");
    fs::write(&own, Network::random(shape, 3).unwrap().to_bytes()).unwrap();
    let given =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/nnue/nn-62ef826d1a6d.nnue");
    for (name, net) in [("own", own.as_str()), ("halfkp", given)] {
        let Ok(bytes) = fs::read(net) else {
            println!("skipped: there is no {net}");
            continue;
        };
        let network = AnyNetwork::from_bytes(&bytes).unwrap();
        let out = folder.path(name);
        done(&["nnue", "rescore", &input, "--net", net, "--vary", "4", "--out", &out]);
        let all = rows(&out, Split::Train);
        assert!(all.len() > 100);
        for row in all {
            let position = row.position().unwrap();
            let sign = if position.turn() == Color::White { 1 } else { -1 };
            let expected = sign * network.evaluate(&position).clamp(-31_999, 31_999);
            assert_eq!(row.score(), Ok(Some(Score::Centipawns(expected))), "{position}");
        }
        let games = ["selfplay", "--games", "1", "--nodes", "40", "--hash", "1", "--net", net];
        done(
            &[&games[..], &["--balance", "10000", "--out", &folder.path(&format!("{name}-games"))]]
                .concat(),
        );
    }
}

/// What the README shows: games to Parquet, scored by a teacher, to a network.
#[test]
fn from_games_to_a_network_parquet_and_packed_rows_come_to_the_same_bytes() {
    let folder = Folder::new("chain");
    source(&folder, 60);
    let pgn = folder.path("games.pgn");
    let results = ["parquet", "packed"].map(|format| {
        let path = |name: &str| folder.path(&format!("{format}-{name}"));
        let (positions, scored) = (path("positions"), path("scored"));
        // Row groups that are no whole number of blocks, files that are no whole number of groups.
        let sizes = ["--shard-rows", "500", "--group-rows", "70", "--val-fraction", "0.3"];
        let prepare = ["data", "prepare", &pgn, "--with-eval", "--format", format];
        done(&[&prepare[..], &sizes, &["--out", &positions]].concat());
        done(&["nnue", "rescore", &positions, "--vary", "2", "--out", &scored]);
        assert_eq!(tabiya(&["data", "verify", &scored]).status.code(), Some(0));
        // A network is trained on the scored rows, and on those that were not scored.
        let networks = [&scored, &positions].map(|data| {
            let run = path("run");
            let small = ["--hidden", "32", "--positions", "2000", "--batch-size", "64"];
            let more = ["--superbatch", "1000", "--warmup", "200", "--threads", "1", "--json"];
            let train = ["nnue", "train", "--data", data, "--out", &run];
            done(&[&train[..], &small, &more].concat());
            let network = format!("{run}/network.nnue");
            let test = done(&["nnue", "test", &network, "--data", data, "--json"]);
            let bytes = fs::read(network).unwrap();
            fs::remove_dir_all(run).unwrap();
            (bytes, test["positions"].clone())
        });
        let rows: Vec<_> = Split::ALL.map(|split| rows(&scored, split)).into();
        assert!(rows.iter().all(|rows| rows.len() > 200));
        (rows, networks)
    });
    assert!(results[0] == results[1]);
}

#[test]
fn nonsense_is_told_in_one_line() {
    let folder = Folder::new("nonsense");
    let (input, out) = (source(&folder, 8), folder.path("out"));
    let rescore =
        |input: &str, more: &[&str]| failed(&[&["nnue", "rescore", input][..], more].concat(), 1);
    let missing = rescore(&folder.path("missing"), &["--out", &out]);
    assert!(missing.contains("no such file or folder"), "{missing}");
    fs::create_dir(folder.path("empty")).unwrap();
    assert!(rescore(&folder.path("empty"), &["--out", &out]).contains("no data set"));
    fs::write(folder.path("noise"), [7; 500]).unwrap();
    assert!(rescore(&folder.path("noise"), &["--out", &out]).contains("noise is damaged"));
    // A data set without rows.
    fs::write(folder.path("none.pgn"), "").unwrap();
    let none = folder.path("none");
    done(&["data", "prepare", &folder.path("none.pgn"), "--out", &none, "--format", "packed"]);
    assert!(rescore(&none, &["--out", &out]).contains("there are no rows in it"));
    // Networks that are none.
    for net in ["missing.nnue", "noise", "games.pgn", "rows"] {
        let net = folder.path(net);
        let complaint = rescore(&input, &["--out", &out, "--net", &net]);
        assert!(complaint.contains(&net), "{complaint}");
        let complaint = failed(&["selfplay", "--games", "1", "--out", &out, "--net", &net], 1);
        assert!(complaint.contains(&net), "{complaint}");
    }
    assert!(!Path::new(&out).exists());
    // Folders that hold something else.
    assert!(rescore(&input, &["--out", &input]).contains("is the input"));
    assert!(rescore(&input, &["--out", &format!("{input}/scored")]).contains("lies in the input"));
    assert!(rescore(&input, &["--out", &folder.0.to_string_lossy()]).contains("cannot be written"));
    let games = ["selfplay", "--games", "1", "--out"];
    assert!(failed(&[&games[..], &[&input]].concat(), 1).contains("another data set"));
    let unknown = folder.path("nowhere");
    let syzygy = [&games[..], &[&out, "--syzygy", &unknown]].concat();
    assert!(failed(&syzygy, 1).contains("nowhere"));
    let fraction = [&games[..], &[&out, "--val-fraction", "NaN"]].concat();
    assert!(failed(&fraction, 1).contains("from 0 to 1"));
    // A damaged row is named.
    let file = format!("{input}/train/train-00000.rows");
    let mut bytes = fs::read(&file).unwrap();
    bytes[32 + 5 * 32 + 8..][..16].fill(0);
    fs::write(folder.path("bad.rows"), bytes).unwrap();
    assert!(rescore(&folder.path("bad.rows"), &["--out", &out]).contains("row 5"));
    for wrong in [
        &["nnue", "rescore", &input][..],
        &["nnue", "rescore", &input, "--out", &out, "--nodes", "0"],
        &["nnue", "rescore", &input, "--out", &out, "--nodes", "9", "--depth", "2"],
        &["nnue", "rescore", &input, "--out", &out, "--vary", "-1"],
        &["selfplay", "--out", &out],
        &["selfplay", "--out", &out, "--games", "0"],
        &["selfplay", "--out", &out, "--games", "5", "--random-plies", "12..8"],
        &["selfplay", "--out", &out, "--games", "5", "--nodes", "many"],
    ] {
        failed(wrong, 2);
    }
}

#[test]
fn games_of_the_engine_against_itself_are_the_same_whatever_the_threads() {
    let folder = Folder::new("selfplay");
    let play = |name: &str, more: &[&str]| {
        let out = folder.path(name);
        let fixed = ["selfplay", "--out", &out, "--nodes", "60", "--hash", "1", "--json"];
        let report = done(&[&fixed[..], &["--val-fraction", "0.3"], more].concat());
        (report, contents(Path::new(&out)))
    };
    let small = ["--games", "10", "--unit-games", "2"];
    let (report, one) = play("one", &[&small[..], &["--threads", "1"]].concat());
    assert!(one == play("three", &[&small[..], &["--threads", "3"]].concat()).1);
    assert_eq!(report["games"], 10);
    assert!(report["train"].as_u64() > Some(50) && report["validation"].as_u64() > Some(10));
    assert_eq!(tabiya(&["data", "verify", &folder.path("one")]).status.code(), Some(0));
    let mut seen = std::collections::HashSet::new();
    for split in Split::ALL {
        for row in rows(&folder.path("one"), split) {
            let unpacked = row.unpack().unwrap();
            assert!(!unpacked.position.in_check() && !unpacked.best_move.unwrap().is_capture());
            assert!(matches!(unpacked.score, Some(Score::Centipawns(_))));
            assert_ne!(unpacked.result, GameResult::Unknown);
            assert!(seen.insert(row.as_bytes()[..24].to_vec()));
        }
    }
    // Until there are enough positions.
    let (report, _) = play("many", &["--positions", "200", "--unit-games", "2"]);
    let skipped = report["skipped"]["duplicate"].as_u64().unwrap();
    assert_eq!(report["positions"].as_u64().unwrap() + skipped, 200);
    // The same again: nothing to do.
    assert_eq!(
        play("many", &["--positions", "200", "--unit-games", "2"]).0["complete_before"],
        true
    );
}

/// Kills the program at ten random moments, lets it go on each time, and compares what there is in the end
/// with what an undisturbed run has made.
fn kill(folder: &Folder, arguments: &[&str]) {
    let run = |out: &str| {
        let mut command = Command::new(TABIYA);
        command.args(arguments).args(["--threads", "2", "--out", out]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let (whole, out) = (folder.path("whole"), folder.path("killed"));
    let begin = Instant::now();
    assert!(run(&whole).status().unwrap().success());
    let duration = begin.elapsed().as_micros() as u64;
    let (mut random, mut killed, mut within) = (4_242u64, 0, 0);
    for _ in 0..200 {
        let mut child = run(&out).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        std::thread::sleep(Duration::from_micros((random >> 33) % (duration * 2 / 3).max(1)));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            killed += 1;
        }
        child.wait().unwrap();
        within += usize::from(Path::new(&out).join("_progress.json").exists());
        if Path::new(&out).join("_SUCCESS").exists() {
            let finished = run(&out).status().unwrap();
            assert!(finished.success() && contents(Path::new(&out)) == contents(Path::new(&whole)));
            fs::remove_dir_all(&out).unwrap();
        }
        if killed >= 10 && within > 3 {
            break;
        }
    }
    assert!(killed >= 10 && within > 3, "killed {killed} times, {within} in the middle");
    assert!(run(&out).status().unwrap().success());
    assert!(contents(Path::new(&out)) == contents(Path::new(&whole)));
}

#[test]
fn rescoring_killed_at_ten_random_moments_comes_to_the_same_bytes() {
    let folder = Folder::new("kill-rescore");
    let input = source(&folder, 200);
    kill(
        &folder,
        &["nnue", "rescore", &input, "--vary", "2", "--nodes", "20", "--shard-rows", "900"],
    );
}

#[test]
fn self_play_killed_at_ten_random_moments_comes_to_the_same_bytes() {
    let folder = Folder::new("kill-selfplay");
    let games = ["selfplay", "--games", "12", "--unit-games", "2", "--nodes", "100", "--hash", "1"];
    kill(&folder, &[&games[..], &["--val-fraction", "0.3", "--shard-rows", "100"]].concat());
}
