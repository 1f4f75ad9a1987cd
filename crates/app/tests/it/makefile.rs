//! The Makefile as OpenBench uses it, and the builds for one machine. Where a build would take minutes, a script
//! stands in for cargo.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{TABIYA, json, text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// `make` with these arguments, not as a part of another `make`.
fn make(folder: &TempDir, arguments: &[&str]) -> Output {
    let output = Command::new("make")
        .arg("--no-print-directory")
        .args(arguments)
        .current_dir(root())
        .env("CARGO_TARGET_DIR", folder.path().join("target"))
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .env_remove("TABIYA_SLIDERS")
        .env_remove("EVALFILE")
        .output()
        .expect("make");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    output
}

/// A script in place of cargo: it notes how it was called, and copies the program under test to where a release
/// would be.
fn cargo(folder: &TempDir) -> String {
    let script = folder.path().join("cargo");
    let release = folder.path().join("target/release");
    fs::create_dir_all(&release).unwrap();
    let content = format!(
        "printf '%s\\n' \"$*\" \"CC=${{CC-}}\" \"EVALFILE=${{EVALFILE-}}\" > '{}'\ncp '{TABIYA}' '{}'\n",
        folder.path().join("call").display(),
        release.join("tabiya").display(),
    );
    fs::write(&script, content).unwrap();
    format!("CARGO=sh {}", script.display())
}

fn call(folder: &TempDir) -> Vec<String> {
    let call = fs::read_to_string(folder.path().join("call")).expect("cargo was called");
    call.lines().map(str::to_owned).collect()
}

#[test]
fn openbench_builds_the_engine_and_reads_its_bench_as_ascii() {
    let folder = TempDir::new().unwrap();
    let exe = folder.path().join("Tabiya-0123ABCD");
    let exe_argument = format!("EXE={}", exe.display());
    make(&folder, &["-j", &exe_argument, "CC=cargo", &cargo(&folder), "EVALFILE=net.nnue"]);
    let network = format!("EVALFILE={}", root().join("net.nnue").display());
    assert_eq!(call(&folder), ["build --release --locked -p tabiya", "CC=", &network]);

    let bench = Command::new(&exe).args(["bench", "1"]).env("COLUMNS", "40").output().unwrap();
    assert!(bench.status.success() && bench.stdout.is_ascii() && bench.stderr.is_empty());
    let mut lines = text(&bench.stdout).lines().rev();
    let words: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let [nodes, "nodes", rate, "nps"] = words[..] else { panic!("{words:?}") };
    assert!(nodes.parse::<u64>().is_ok_and(|nodes| nodes > 0) && rate.parse::<u64>().is_ok());
    // Programs get the whole FEN.
    assert!(lines.all(|line| line.split_once("nodes  ").unwrap().1.split(' ').count() == 6));
}

#[test]
fn a_c_compiler_named_to_make_reaches_the_build() {
    let folder = TempDir::new().unwrap();
    let exe = format!("EXE={}", folder.path().join("tabiya").display());
    make(&folder, &[&exe, "CC=/usr/bin/clang", &cargo(&folder)]);
    assert_eq!(call(&folder)[1], "CC=/usr/bin/clang");
}

#[test]
fn builds_for_one_machine_use_magic_bitboards_where_pext_is_slow() {
    let folder = TempDir::new().unwrap();
    let cpuinfo = folder.path().join("cpuinfo");
    let variable = format!("CPUINFO={}", cpuinfo.display());
    for (vendor, family, is_slow) in [
        ("AuthenticAMD", 21, true),
        ("AuthenticAMD", 23, true),
        ("HygonGenuine", 24, true),
        ("AuthenticAMD", 25, false),
        ("AuthenticAMD", 26, false),
        ("GenuineIntel", 6, false),
    ] {
        let cpu =
            format!("vendor_id\t: {vendor}\ncpu family\t: {family}\nflags\t\t: bmi1 bmi2\n\n");
        fs::write(&cpuinfo, cpu.repeat(2)).unwrap();
        for target in ["native", "peers"] {
            let output = make(&folder, &["-n", target, &variable]);
            let recipe = text(&output.stdout);
            assert!(recipe.contains("target-cpu=native"), "{recipe}");
            let is_magic = recipe.contains("TABIYA_SLIDERS=magic");
            assert_eq!(is_magic, is_slow, "{vendor} {family} {recipe}");
            let has_pext = recipe.contains("--features pext");
            assert_eq!(has_pext, target == "peers" && !is_slow, "{vendor} {family} {recipe}");
        }
    }
    // Elsewhere there is no such file.
    let output = make(&folder, &["-n", "native", "CPUINFO=/nowhere"]);
    assert!(!text(&output.stdout).contains("TABIYA_SLIDERS"));
}

#[test]
fn the_configuration_for_openbench_has_what_a_server_checks() {
    let config = json(&fs::read_to_string(root().join("contrib/openbench/Tabiya.json")).unwrap());
    assert!(config["private"] == false && config["nps"].as_u64() > Some(0));
    assert!(config["source"].is_string() && config["build"]["path"].is_string());
    for list in ["compilers", "cpuflags", "systems"] {
        let list = config["build"][list].as_array().expect(list);
        assert!(list.iter().all(Value::is_string));
    }
    let keys: BTreeSet<&str> = [
        ["both_options", "both_time_control", "dev_options", "dev_time_control"],
        ["base_branch", "book_name", "win_adj", "draw_adj"],
    ]
    .concat()
    .into_iter()
    .collect();
    for (presets, more) in [
        ("test_presets", &["test_bounds", "test_confidence", "workload_size"][..]),
        ("tune_presets", &[]),
        ("datagen_presets", &["workload_size"]),
    ] {
        let presets = config[presets].as_object().expect(presets);
        assert!(presets.contains_key("default"));
        for key in presets.values().flat_map(|preset| preset.as_object().unwrap().keys()) {
            assert!(keys.contains(&**key) || more.contains(&&**key), "{key}");
        }
    }
    for presets in ["test_presets", "tune_presets"] {
        for key in ["book_name", "win_adj", "draw_adj"] {
            assert!(config[presets]["default"][key].is_string(), "{presets} {key}");
        }
    }
}
