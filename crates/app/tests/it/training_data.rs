//! `tabiya nnue rescore` and `tabiya selfplay` as scripts call them: what they write, their errors for
//! nonsense, and what is there after they were killed.

use std::fs;
use std::path::Path;

use chess::pgn::{GameResult, Score};
use chess::{Color, PackedRow};
use data::{PackedFile, Split};
use nnue::{AnyNetwork, Network, Shape};
use test_support::halfka;
use test_support::halfkp::{self, Weights};
use test_support::{KillLoop, TempDir, contents};

use crate::common::{self, fail, run, succeed};

/// Runs the program, which must succeed, and returns its report.
fn done(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(arguments)).unwrap_or_default()
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
fn source(folder: &TempDir, games: usize) -> String {
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
    let folder = TempDir::new();
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
    assert_eq!(run(&["data", "verify", &out]).status.code(), Some(0));
    // A file alone is enough, and the filters have their effect.
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
    let folder = TempDir::new();
    let input = source(&folder, 60);
    let make = |name: &str, more: &[&str]| {
        let out = folder.path(name);
        let fixed = ["nnue", "rescore", &input, "--out", &out, "--vary", "3"];
        done(&[&fixed[..], more].concat());
        contents(&out)
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
    assert_eq!(run(&["data", "verify", &folder.path("one")]).status.code(), Some(0));
    make("unique", &["--dedup"]);
    let mut seen = std::collections::HashSet::new();
    let unique = rows(&folder.path("unique"), Split::Train);
    assert!(unique.iter().all(|row| seen.insert(row.as_bytes()[..24].to_vec())));
    assert!(!unique.is_empty() && unique.len() < all.len());
}

#[test]
fn scores_are_those_of_the_network_centipawns_for_white() {
    let folder = TempDir::new();
    let input = source(&folder, 12);
    let shape = Shape { mirrored: true, ..Shape::plain(32) };
    let own = folder.path("own.nnue");
    fs::write(&own, Network::random(shape, 3).unwrap().to_bytes()).unwrap();
    let halfkp = folder.write("halfkp.nnue", halfkp::file(Weights::Typical, 3));
    let halfka = folder.write("halfka.nnue", halfka::file(Weights::Typical, 3));
    for (name, net) in [("own", &own), ("halfkp", &halfkp), ("halfka", &halfka)] {
        let network = AnyNetwork::from_bytes(&fs::read(net).unwrap()).unwrap();
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
fn from_games_to_a_network_parquet_and_packed_rows_give_the_same_bytes() {
    let folder = TempDir::new();
    source(&folder, 60);
    let pgn = folder.path("games.pgn");
    let results = ["parquet", "packed"].map(|format| {
        let path = |name: &str| folder.path(&format!("{format}-{name}"));
        let (positions, scored) = (path("positions"), path("scored"));
        // Row groups that are no multiple of blocks, files that are no multiple of row groups.
        let sizes = ["--shard-rows", "500", "--group-rows", "70", "--val-fraction", "0.3"];
        let prepare = ["data", "prepare", &pgn, "--with-eval", "--format", format];
        done(&[&prepare[..], &sizes, &["--out", &positions]].concat());
        done(&["nnue", "rescore", &positions, "--vary", "2", "--out", &scored]);
        assert_eq!(run(&["data", "verify", &scored]).status.code(), Some(0));
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
fn invalid_input_is_reported_in_one_line() {
    let folder = TempDir::new();
    let (input, out) = (source(&folder, 8), folder.path("out"));
    let rescore =
        |input: &str, more: &[&str]| fail(&[&["nnue", "rescore", input][..], more].concat(), 1);
    let missing = rescore(&folder.path("missing"), &["--out", &out]);
    assert!(missing.contains("no such file or directory"), "{missing}");
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
        let complaint = fail(&["selfplay", "--games", "1", "--out", &out, "--net", &net], 1);
        assert!(complaint.contains(&net), "{complaint}");
    }
    assert!(!Path::new(&out).exists());
    // Folders that hold something else.
    assert!(rescore(&input, &["--out", &input]).contains("is the input"));
    assert!(rescore(&input, &["--out", &format!("{input}/scored")]).contains("lies in the input"));
    assert!(
        rescore(&input, &["--out", &folder.root().to_string_lossy()]).contains("cannot be written")
    );
    let games = ["selfplay", "--games", "1", "--out"];
    assert!(fail(&[&games[..], &[&input]].concat(), 1).contains("another data set"));
    let unknown = folder.path("nowhere");
    let syzygy = [&games[..], &[&out, "--syzygy", &unknown]].concat();
    assert!(fail(&syzygy, 1).contains("nowhere"));
    let fraction = [&games[..], &[&out, "--val-fraction", "NaN"]].concat();
    assert!(fail(&fraction, 1).contains("from 0 to 1"));
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
        fail(wrong, 2);
    }
}

#[test]
fn games_of_the_engine_against_itself_are_the_same_whatever_the_threads() {
    let folder = TempDir::new();
    let play = |name: &str, more: &[&str]| {
        let out = folder.path(name);
        let fixed = ["selfplay", "--out", &out, "--nodes", "60", "--hash", "1", "--json"];
        let report = done(&[&fixed[..], &["--val-fraction", "0.3"], more].concat());
        (report, contents(&out))
    };
    let small = ["--games", "10", "--unit-games", "2"];
    let (report, one) = play("one", &[&small[..], &["--threads", "1"]].concat());
    assert!(one == play("three", &[&small[..], &["--threads", "3"]].concat()).1);
    assert_eq!(report["games"], 10);
    assert!(report["train"].as_u64() > Some(50) && report["validation"].as_u64() > Some(10));
    assert_eq!(run(&["data", "verify", &folder.path("one")]).status.code(), Some(0));
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

/// Kills the program at ten random moments, resumes it each time, and compares the result with that of an
/// undisturbed run.
fn kill(folder: &TempDir, arguments: &[&str]) {
    let (whole, out) = (folder.path("whole"), folder.path("killed"));
    let job = |out: &str| {
        let mut command = common::tabiya(arguments);
        command.args(["--threads", "2", "--out", out]);
        command
    };
    let finish = || {
        assert!(job(&out).status().unwrap().success());
        assert!(contents(&out) == contents(&whole));
    };
    let mut partial = 0;
    KillLoop::new(&mut job(&whole), 4_242).run(
        10,
        || job(&out),
        || {
            partial += usize::from(Path::new(&out).join("_progress.json").exists());
            if Path::new(&out).join("_SUCCESS").exists() {
                finish();
                fs::remove_dir_all(&out).unwrap();
            }
            partial > 3
        },
    );
    finish();
}

#[test]
fn rescoring_killed_at_ten_random_moments_gives_the_same_bytes() {
    let folder = TempDir::new();
    let input = source(&folder, 200);
    kill(
        &folder,
        &["nnue", "rescore", &input, "--vary", "2", "--nodes", "20", "--shard-rows", "900"],
    );
}

#[test]
fn self_play_killed_at_ten_random_moments_gives_the_same_bytes() {
    let folder = TempDir::new();
    let games = ["selfplay", "--games", "12", "--unit-games", "2", "--nodes", "100", "--hash", "1"];
    kill(&folder, &[&games[..], &["--val-fraction", "0.3", "--shard-rows", "100"]].concat());
}
