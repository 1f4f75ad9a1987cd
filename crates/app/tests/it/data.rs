//! `tabiya data` as scripts call it: shapes, exit codes, and what is there after the worst moments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use test_support::{KillLoop, TempDir, contents};

use crate::common::{self, TABIYA, run_with, text};

fn tabiya(arguments: &[&str]) -> Output {
    common::run(&[&["data"], arguments].concat())
}

fn json(output: &Output) -> serde_json::Value {
    common::json(text(&output.stdout))
}

/// Games of the same opening with different knights' journeys: `count` games of 64 half moves.
fn games(count: usize) -> String {
    let tours = ["Nf3 Nf6 Ng1 Ng8", "Nc3 Nc6 Nb1 Nb8", "Nh3 Nh6 Ng1 Ng8", "Na3 Na6 Nb1 Nb8"];
    let mut text = String::new();
    for n in 0..count {
        text +=
            &format!("[Event \"{n}\"]\n[Result \"1-0\"]\n[WhiteElo \"{}\"]\n\n", 1_000 + n % 2_000);
        for tour in 0..16 {
            let [a, b, c, d] =
                tours[(n >> (tour % 8) ^ tour) % 4].split(' ').collect::<Vec<_>>()[..]
            else {
                unreachable!()
            };
            text += &format!("{a} {{ [%eval 0.{}] }} {b} {c} {d} ", n % 90 + 10);
        }
        text += "1-0\n\n";
    }
    text
}

#[test]
fn the_commands_say_what_they_did_and_what_is_there() {
    let folder = TempDir::new();
    let (input, out) = (folder.path("games.pgn"), folder.path("out"));
    fs::write(&input, games(30)).unwrap();
    let made = tabiya(&[
        "prepare",
        &input,
        "--out",
        &out,
        "--with-eval",
        "--json",
        "--val-fraction",
        "0.3",
    ]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let report = json(&made);
    assert_eq!((&report["games"], &report["positions"]), (&30.into(), &1_920.into()));
    assert_eq!(report["train"].as_u64().unwrap() + report["validation"].as_u64().unwrap(), 1_920);
    assert!(report["positions_per_second"].is_number());
    let checked = tabiya(&["verify", &out, "--json"]);
    assert_eq!(checked.status.code(), Some(0));
    let report = json(&checked);
    assert_eq!(
        (&report["rows"], &report["games"], &report["problems"]),
        (&1_920.into(), &30.into(), &0.into())
    );
    let info = tabiya(&["info", &out, "--json", "--svg", &folder.path("svg")]);
    assert_eq!(info.status.code(), Some(0));
    assert_eq!(json(&info)["results"]["1-0"], 1_920);
    assert!(fs::read_to_string(folder.path("svg/eval.svg")).unwrap().starts_with("<svg "));
    assert!(text(&tabiya(&["info", &out]).stdout).contains("30 games, 1920 moves, 1920 positions"));
    let head = tabiya(&["head", &out, "-n", "2", "--json"]);
    assert_eq!(text(&head.stdout).lines().count(), 2);
    let row: serde_json::Value =
        serde_json::from_str(text(&head.stdout).lines().nth(1).unwrap()).unwrap();
    assert_eq!(row["ply"], 1);
    assert!(row["eval"].is_i64() && row["mate"].is_null() && row["result"] == 1);
    let packed = folder.path("packed");
    assert_eq!(tabiya(&["pack", &out, "--out", &packed]).status.code(), Some(0));
    assert_eq!(tabiya(&["verify", &packed]).status.code(), Some(0));
    assert_eq!(tabiya(&["unpack", &packed, "--out", &folder.path("back")]).status.code(), Some(0));
    // The same again: nothing to do. Something else: refused, in one line.
    let again = tabiya(&["prepare", &input, "--out", &out, "--with-eval", "--val-fraction", "0.3"]);
    assert_eq!(again.status.code(), Some(0));
    assert!(text(&again.stdout).contains("is complete already"));
    let other = tabiya(&["prepare", &input, "--out", &out]);
    assert_eq!((other.status.code(), text(&other.stderr).lines().count()), (Some(1), 1));
    for wrong in [
        &["prepare", &input, "--out", &out, "--sample-rate", "2"][..],
        &["prepare", &input, "--out", &out, "--columns", "fen,elo"],
        &["prepare", &input, "--out", &out, "--shard", "3/2"],
        &["prepare", &input, "--out", &out, "--results", "2-0"],
        &["prepare", &input],
    ] {
        assert_eq!(tabiya(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn standard_input_is_converted_too() {
    let folder = TempDir::new();
    let out = folder.path("out");
    let output = run_with(&["data", "prepare", "-", "--json", "--out", &out], games(5));
    assert_eq!((output.status.code(), &json(&output)["positions"]), (Some(0), &320.into()));
    let manifest = fs::read_to_string(folder.path("out/_manifest.json")).unwrap();
    assert!(manifest.contains(&format!("\"bytes\": {}", games(5).len())));
}

/// Kills the conversion at random moments and resumes it, this many times.
fn kill(options: &[&str], times: usize) {
    let folder = TempDir::new();
    let input = folder.write("games.pgn", games(1_200));
    let (whole, out) = (folder.path("whole"), folder.path("out"));
    let job = |out: &str| {
        let mut command = common::tabiya(&["data", "prepare", &input, "--with-eval", "--out", out]);
        command.args(["--val-fraction", "0.2", "--shard-rows", "1500", "--group-rows", "1000"]);
        command.args(["--threads", "2"]).args(options);
        command
    };
    let finish = || {
        let output = job(&out).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(contents(&out) == contents(&whole));
    };
    KillLoop::new(&mut job(&whole), 12_345).run(
        times,
        || job(&out),
        || {
            let progress = fs::read_to_string(format!("{out}/_progress.json")).unwrap_or_default();
            // Whatever has its final name is whole: the same as in the undisturbed directory.
            let found = if Path::new(&out).exists() { contents(&out) } else { BTreeMap::new() };
            for (name, bytes) in found {
                let is_hidden = name.rsplit('/').next().unwrap().starts_with('.');
                if name.ends_with(".parquet") && !is_hidden {
                    assert!(fs::read(format!("{whole}/{name}")).unwrap() == bytes, "{name}");
                }
            }
            if Path::new(&out).join("_SUCCESS").exists() {
                // It may have been killed when only clearing up was left, which the next run does.
                finish();
                fs::remove_dir_all(&out).unwrap();
            }
            progress.contains(".parquet")
        },
    );
    finish();
}

#[test]
fn killed_at_twenty_random_moments_it_resumes_to_the_same_bytes() {
    kill(&[], 20);
}

#[test]
fn killed_while_it_sorts_it_resumes_to_the_same_bytes() {
    kill(&["--shuffle"], 10);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_nothing_half_written_is_taken_for_done() {
    let folder = TempDir::new();
    let (input, out) = (folder.path("games.pgn"), folder.path("out"));
    fs::write(&input, games(1_000)).unwrap();
    // No file may grow beyond 16 KB: writing fails as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" data prepare \"$1\" --out \"$2\" --shard-rows 40000";
    let run = || Command::new("sh").args(["-c", script, TABIYA, &input, &out]).output().unwrap();
    for _ in 0..2 {
        let output = run();
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert!(
            complaint.starts_with("tabiya: cannot write ") && complaint.lines().count() == 1,
            "{complaint}"
        );
        assert!(!Path::new(&out).join("_SUCCESS").exists());
        let left = contents(&out);
        assert!(left.keys().all(|name| !name.ends_with(".parquet")), "{:?}", left.keys());
        assert_eq!(tabiya(&["verify", &out]).status.code(), Some(1));
    }
    // With room again it resumes, to the same files.
    let arguments = |out| ["prepare", &input, "--out", out, "--shard-rows", "40000"];
    let whole = folder.path("whole");
    for out in [&out, &whole] {
        assert!(tabiya(&arguments(out)).status.success());
    }
    assert!(contents(&out) == contents(&whole));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_reported_in_one_line() {
    let folder = TempDir::new();
    let input = folder.path("games.pgn");
    fs::write(&input, games(3)).unwrap();
    // Nobody can make folders there, the superuser included.
    for out in ["/proc/tabiya", "/sys/tabiya"] {
        let output = tabiya(&["prepare", &input, "--out", out]);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            complaint.starts_with("tabiya: cannot create directory ")
                && complaint.lines().count() == 1,
            "{complaint}"
        );
    }
}

#[test]
fn damaged_inputs_are_reported_with_file_and_position_and_the_rest_is_converted() {
    let folder = TempDir::new();
    let good = games(20);
    let input = folder.path("games.pgn");
    let middle = good[good.len() / 2..].find("[Event").unwrap() + good.len() / 2;
    fs::write(
        &input,
        [&good[..middle], "[Event \"bad\"]\n\n1. e4 e4 *\n\n", &good[middle..]].concat(),
    )
    .unwrap();
    let out = folder.path("out");
    let utf16 = folder.path("utf16.pgn");
    fs::write(&utf16, b"\xff\xfe[\0E\0").unwrap();
    let output = tabiya(&["prepare", &input, &utf16, "--out", &out, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        (&json(&output)["positions"], &json(&output)["problems"]),
        (&(20 * 64 + 1).into(), &2.into())
    );
    let complaints: Vec<&str> = text(&output.stderr).lines().collect();
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(
        complaints[0].starts_with(&input)
            && complaints[0].contains("byte")
            && complaints[0].contains("e4")
    );
    assert!(complaints[1].contains("utf16.pgn"));
    assert_eq!(tabiya(&["verify", &out]).status.code(), Some(0));
}

#[test]
fn an_input_that_is_not_there_is_reported_in_one_line_and_nothing_is_written() {
    let folder = TempDir::new();
    let (input, out) = (folder.path("games.pgn"), folder.path("out"));
    fs::write(&input, games(3)).unwrap();
    for inputs in [&["nope.pgn"][..], &[&input, "nope.pgn"]] {
        let output = tabiya(&[&["prepare", "--out", &out], inputs].concat());
        assert_eq!(output.status.code(), Some(1));
        let complaint = text(&output.stderr);
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert!(complaint.contains("cannot open nope.pgn"), "{complaint}");
        assert_eq!(complaint.matches("os error").count(), 1, "{complaint}");
        assert!(!Path::new(&out).exists());
    }
    // The corrected command is not refused.
    assert_eq!(tabiya(&["prepare", &input, "--out", &out]).status.code(), Some(0));
    // Nor do pictures go among the rows.
    let output = tabiya(&["info", &out, "--svg", &format!("{out}/pictures")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("lies in the input"), "{}", text(&output.stderr));
    assert_eq!(tabiya(&["info", &out, "--svg", &folder.path("svg")]).status.code(), Some(0));
}
