//! What a release has besides the program: builds for newer CPUs, manual pages, completions, licences.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::common::{TABIYA, fail, pipe_into, succeed, tabiya, text};

/// The value of a line of `tabiya version --verbose`.
fn verbose(key: &str) -> String {
    let output = succeed(&["version", "--verbose"]);
    let line = output.lines().find_map(|line| line.strip_prefix(&format!("{key:9}")));
    line.unwrap_or_else(|| panic!("no {key} in {output}")).to_owned()
}

#[test]
fn the_version_has_the_build_and_the_cpu() {
    assert_eq!(succeed(&["version"]), concat!("tabiya ", env!("CARGO_PKG_VERSION"), "\n"));
    let output = succeed(&["version", "--verbose"]);
    let keys: Vec<&str> = output.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(keys, ["tabiya", "build", "sliders", "detected", "chosen", "bf16"]);
    let detected = verbose("detected");
    assert!(detected.starts_with("scalar"), "{detected}");
    assert!(["supported", "not supported"].contains(&&*verbose("bf16")));
}

#[test]
fn tabiya_cpu_forces_every_detected_instruction_set() {
    let mut nodes = Vec::new();
    for set in verbose("detected").split(' ') {
        let version = tabiya(&["version", "--verbose"]).env("TABIYA_CPU", set).output().unwrap();
        let version = text(&version.stdout);
        assert!(version.contains(&format!("chosen   {set} (TABIYA_CPU)\n")), "{version}");
        // Instructions on bf16 belong to AVX-512.
        assert!(set.starts_with("avx512") || version.ends_with("bf16     not supported\n"));
        let bench = tabiya(&["bench", "2"]).env("TABIYA_CPU", set).output().unwrap();
        let total = text(&bench.stdout).lines().last().unwrap().split(' ').next().unwrap();
        nodes.push(total.to_owned());
    }
    nodes.dedup();
    assert_eq!(nodes.len(), 1, "{nodes:?}");
}

#[test]
fn a_value_of_tabiya_cpu_that_cannot_be_followed_is_an_error_of_one_line() {
    for value in ["", "sse", if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" }] {
        let output = tabiya(&["version"]).env("TABIYA_CPU", value).output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{value}: {error}");
        assert!(error.starts_with("tabiya: TABIYA_CPU: ") && error.lines().count() == 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn completions_name_every_command_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = succeed(&["completions", shell]);
        for word in ["play", "analyse", "perft", "multipv", "completions"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    fail(&["completions", "cmd"], 2);
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_completions() {
    let script = succeed(&["completions", "bash"]);
    let mut bash = Command::new("bash");
    bash.args(["-c", "source /dev/stdin; complete -p tabiya"]).stdout(Stdio::piped());
    let output = pipe_into(&mut bash, script);
    assert!(output.status.success() && text(&output.stdout).contains("_tabiya"), "{output:?}");
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path().to_str().unwrap();
    assert_eq!(succeed(&["man", "--dir", dir]), "");
    for name in ["tabiya", "tabiya-play", "tabiya-perft", "tabiya-data-prepare", "tabiya-man"] {
        let page = fs::read_to_string(folder.path().join(format!("{name}.1"))).expect(name);
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(succeed(&["man"]).contains(".SH SUBCOMMANDS"));
    let missing = folder.path().join("missing");
    fail(&["man", "--dir", missing.to_str().unwrap()], 1);
}

/// The archive of a release, with scripts in place of the builds for newer CPUs: each prints its name and its
/// arguments. Shell commands make it: a file that this process had open for writing might be one that a
/// child of another test has open still, and such files cannot be executed.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(target_feature = "avx2")))]
fn archive() -> TempDir {
    let folder = TempDir::new().unwrap();
    let script = r#"
        cd "$1"
        ln "$2" tabiya 2> /dev/null || cp "$2" tabiya
        mkdir levels
        for name in x86-64-v3 x86-64-v3-pext x86-64-v4; do
          printf '#!/bin/sh\necho %s "$@"\n' "$name" > "levels/tabiya-$name"
          chmod +x "levels/tabiya-$name"
        done
    "#;
    let mut shell = Command::new("sh");
    shell.args(["-euc", script, "sh"]).arg(folder.path()).arg(TABIYA);
    assert!(shell.status().unwrap().success());
    folder
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(target_feature = "avx2")))]
#[test]
fn the_plain_build_of_a_release_starts_the_one_for_the_cpu() {
    let folder = archive();
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap();
    let value = |key: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(key)).expect(key);
        line.split_once(": ").expect(key).1.to_owned()
    };
    let family: u32 = value("cpu family").parse().unwrap();
    let v3 = match (&*value("vendor_id"), family) {
        ("GenuineIntel", _) | ("AuthenticAMD", 25..) => "x86-64-v3-pext",
        _ => "x86-64-v3",
    };
    let detected = verbose("detected");
    let run = |cpu: Option<&str>| {
        let mut program = Command::new(folder.path().join("tabiya"));
        program.args(["perft", "1"]).env_remove("TABIYA_CPU");
        program.envs(cpu.map(|cpu| ("TABIYA_CPU", cpu)));
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).to_owned()
    };
    for set in detected.split(' ') {
        let started = run(Some(set));
        match set {
            "scalar" => assert!(started.contains("20"), "{started}"),
            "avx2" => assert_eq!(started, format!("{v3} perft 1\n")),
            _ => assert_eq!(started, "x86-64-v4 perft 1\n"),
        }
    }
    assert_eq!(run(None), run(detected.split(' ').next_back()));
    // Without the build for its CPU the plain one does the work.
    fs::remove_dir_all(folder.path().join("levels")).unwrap();
    assert!(run(None).contains("20"));
}

#[test]
fn every_published_crate_has_the_texts_of_its_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut published = 0;
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("publish = false") {
            continue;
        }
        published += 1;
        // What lies in the directory is packaged, unless a list says what is.
        assert!(!manifest.contains("\ninclude"), "{}", folder.display());
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = fs::read(folder.join(name)).unwrap_or_default();
            assert!(text == fs::read(root.join(name)).unwrap(), "{}: {name}", folder.display());
        }
    }
    assert!(published > 10, "{published}");
}
