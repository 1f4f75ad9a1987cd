//! The examples, run as programs.

use std::path::Path;
use std::process::{Command, Output};

const DIRECTORY: &str = env!("CARGO_MANIFEST_DIR");

fn run(name: &str, args: &[&str]) -> Output {
    // Examples are built beside the tests, by `cargo test` without `--test`.
    let test = std::env::current_exe().expect("a path");
    let program =
        test.ancestors().nth(2).expect("the directory of the build").join("examples").join(name);
    let child = Command::new(&program).args(args).output();
    child.unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo build -p tabiya-engine --examples` first", program.display())
    })
}

#[test]
fn a_search_prints_its_depths_scores_and_moves() {
    let output = run("search", &["4", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert!(output.status.success() && lines.len() > 1, "{text}");
    let (best, depths) = lines.split_last().expect("a line");
    assert!(depths[0].starts_with("depth  1  mate 1    1. Rd8#"), "{text}");
    assert!(best.starts_with("best move: Rd8# ("), "{text}");
    let mated = run("search", &["4", "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"]);
    assert_eq!(String::from_utf8_lossy(&mated.stdout), "no legal move\n");
    assert!(!run("search", &["4", "8/8"]).status.success());
}

#[test]
fn the_book_shows_the_search_as_a_whole_program() {
    let example = std::fs::read_to_string(format!("{DIRECTORY}/examples/search.rs")).expect("it");
    let (head, program) = example.split_once("\n\n").expect("a head");
    assert!(head.lines().all(|line| line.starts_with("//!")), "{head}");
    assert!(program.lines().count() <= 40, "short enough to copy");
    let page = Path::new(DIRECTORY).join("../../docs/src/tutorials/build.md");
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains(&format!("```rust,no_run\n{program}```")), "{program}");
}
