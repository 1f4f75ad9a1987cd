//! The book (`docs/src`) and the README: their commands run, their links resolve.
//!
//! The tag of a fenced block determines its treatment:
//!
//! | tag | |
//! |---|---|
//! | `sh` | executed: each block by its own `sh -eu`, the blocks of a page in order in one temporary directory, which starts as a copy of `docs/files`; `tabiya` is the program under test |
//! | `output` | its lines occur, in this order, in the standard output of the `sh` block before it |
//! | `console` | not executed (it installs, compiles, trains for long, needs other engines): commands and options of `tabiya` exist |
//! | `rust` | a doctest of the crate that includes the page |
//! | `python` | executed by `tests/differential/data.py` or `tests/python/test_book.py` |
//! | `text` | only shown |

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{TABIYA, run_with, succeed, text};

/// The tags of fenced blocks.
const TAGS: [&str; 7] = ["sh", "output", "console", "rust", "rust,no_run", "python", "text"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// A document: its path from the root of the workspace, and its text.
struct Page {
    path: PathBuf,
    text: String,
}

impl Page {
    fn read(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let text = fs::read_to_string(root().join(path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path: path.to_owned(), text }
    }

    /// `docs/src/limits.md:12`
    fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines().zip(1..);
        while let Some((line, number)) = lines.next() {
            let Some(tag) = line.trim_start().strip_prefix("```") else { continue };
            assert!(line.starts_with("```"), "{}: an indented fence", self.at(number));
            let text: Vec<&str> =
                lines.by_ref().map(|(line, _)| line).take_while(|line| *line != "```").collect();
            blocks.push(Block { tag: tag.to_owned(), line: number, text: text.join("\n") });
        }
        blocks
    }

    /// The text without fenced blocks and inline code: what is left has links and headings.
    fn prose(&self) -> String {
        let mut fenced = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            let fence = line.starts_with("```");
            fenced ^= fence;
            // Headings keep their code: it is part of the anchor.
            if line.starts_with('#') && !fenced {
                prose.push_str(line);
            } else if !fenced && !fence {
                prose.extend(line.split('`').step_by(2));
            }
            prose.push('\n');
        }
        prose
    }

    /// The anchors of the headings, as mdBook and GitHub derive them.
    fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for line in self.prose().lines().filter(|line| line.starts_with('#')) {
            let title = line.trim_start_matches('#').trim();
            let base: String = title
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .flat_map(char::to_lowercase)
                .map(|c| if c == ' ' { '-' } else { c })
                .collect();
            let twins = anchors.iter().filter(|anchor| **anchor == base).count();
            anchors.push(if twins == 0 { base } else { format!("{base}-{twins}") });
        }
        anchors
    }
}

/// A fenced block.
struct Block {
    tag: String,
    line: usize,
    text: String,
}

/// The pages of the book, by their paths from the root of the workspace.
fn book() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("docs/src") {
            let path = entry.expect("docs/src").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path.strip_prefix(root()).expect("below the root").to_owned());
            }
        }
    }
    pages.sort();
    pages
}

/// The book and the README.
fn pages() -> Vec<Page> {
    book().into_iter().chain(["README.md".into()]).map(Page::read).collect()
}

#[test]
fn fenced_blocks_have_a_tag_that_says_what_happens_to_them() {
    for page in pages() {
        for block in page.blocks() {
            let place = page.at(block.line);
            assert!(TAGS.contains(&&*block.tag), "{place}: ```{} is none of {TAGS:?}", block.tag);
            assert!(!block.text.is_empty(), "{place}: an empty block");
        }
    }
}

/// Executes the blocks of a page.
fn execute(page: &Page) {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("docs/files")).unwrap() {
        let file = entry.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let program = Path::new(TABIYA).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut output = String::new();
    for block in page.blocks() {
        let place = page.at(block.line);
        if block.tag == "sh" {
            let result = Command::new("sh")
                .args(["-euc", &block.text])
                .current_dir(&folder)
                .env("PATH", &path)
                .env("COLUMNS", "80")
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            output = text(&result.stdout).to_owned();
            let errors = text(&result.stderr);
            assert!(result.status.success(), "{place}: {}\n{output}\n{errors}", result.status);
        } else if block.tag == "output" {
            let mut lines = output.lines();
            for expected in block.text.lines().filter(|line| *line != "…") {
                let found = lines.any(|line| line.trim_end() == expected);
                assert!(found, "{place}: not in the output: {expected}\n{output}");
            }
        }
    }
}

#[test]
fn every_command_of_the_book_and_the_readme_runs() {
    let mut pages = pages();
    let commands = |page: &Page| page.blocks().iter().filter(|block| block.tag == "sh").count();
    assert!(pages.iter().map(commands).sum::<usize>() >= 40, "blocks are missing");
    // The longest first: two threads end at about the same time.
    pages.sort_by_key(|page| std::cmp::Reverse(commands(page)));
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    execute(page);
                }
            });
        }
    });
}

/// The commands below this one, with their help: `["pgn"]` has `check`, `stats`, `normalize`.
fn subcommands(path: &[&str]) -> Vec<String> {
    let help = succeed(&[&["help"], path].concat());
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        // A deeper indentation continues a description.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Text without what is in quotes, and without comments.
fn bare(line: &str) -> String {
    let mut quote = None;
    let mut bare = String::new();
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '#' => break,
            None => bare.push(c),
        }
    }
    bare
}

/// Checks that a call of the program names commands and options that exist.
fn check_call(place: &str, words: &[&str]) {
    let mut path: Vec<&str> = Vec::new();
    for word in words.iter().take_while(|word| !word.starts_with('-')) {
        let known = subcommands(&path);
        if known.is_empty() {
            break;
        }
        assert!(known.iter().any(|name| name == word), "{place}: no command {path:?} {word}");
        path.push(word);
    }
    let help = succeed(&[&path[..], &["--help"]].concat());
    for word in words.iter().filter(|word| word.starts_with("--")) {
        let option = word.split('=').next().unwrap_or(word);
        let known = help.split([' ', '\n', ',', '=', '[', ']']).any(|word| word == option);
        assert!(known, "{place}: {path:?} has no option {option}");
    }
}

#[test]
fn commands_and_options_that_are_not_executed_exist() {
    let makefile = Page::read("Makefile").text;
    let mut calls = 0;
    for page in pages() {
        for block in page.blocks().into_iter().filter(|block| block.tag == "console") {
            let place = page.at(block.line);
            for line in block.text.replace("\\\n", " ").lines().map(bare) {
                let words: Vec<&str> =
                    line.split_whitespace().take_while(|word| !["|", ">"].contains(word)).collect();
                match words[..] {
                    ["tabiya", ref words @ ..] => {
                        calls += 1;
                        check_call(&place, words);
                    }
                    ["make", ref words @ ..] => {
                        for target in words.iter().filter(|word| !word.contains('=')) {
                            let known = makefile.contains(&format!("\n{target}:"));
                            assert!(known, "{place}: no make {target}");
                        }
                    }
                    [script, ..] if script.starts_with("runs/") => {
                        assert!(root().join(script).is_file(), "{place}: no {script}");
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(calls > 0, "no block tagged console calls tabiya");
}

#[test]
fn the_reference_names_every_command_and_every_uci_option() {
    let commands = Page::read("docs/src/reference/commands.md").text;
    for name in subcommands(&[]) {
        assert!(commands.contains(&format!("`tabiya {name}")), "commands.md lacks {name}");
        for subcommand in subcommands(&[&name]) {
            let full = format!("`tabiya {name} {subcommand}");
            assert!(commands.contains(&full), "commands.md lacks {full}`");
        }
    }
    let options = Page::read("docs/src/reference/uci.md").text;
    for arguments in [&[][..], &["pra", "uci"]] {
        let session = run_with(arguments, "uci\nquit\n");
        let declared: Vec<&str> = text(&session.stdout)
            .lines()
            .filter_map(|line| line.strip_prefix("option name "))
            .collect();
        assert!(declared.len() > 5, "{declared:?}");
        for option in declared {
            let (name, _) = option.split_once(" type ").expect("a type");
            assert!(options.contains(&format!("| `{name}` |")), "uci.md lacks {name}");
        }
    }
}

/// The targets of links and pictures in a text: `](target)` and `src="target"`.
fn targets(prose: &str) -> Vec<&str> {
    [("](", ')'), ("src=\"", '"'), ("href=\"", '"')]
        .into_iter()
        .flat_map(|(open, close)| {
            prose.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
        })
        .collect()
}

/// A path without `.` and `..`.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            _ => normal.push(component),
        }
    }
    normal
}

#[test]
fn links_and_anchors_resolve() {
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(Page::read);
    let mut links = 0;
    for page in pages().iter().chain(&others) {
        let prose = page.prose();
        for target in targets(&prose).into_iter().filter(|target| !target.contains("://")) {
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = page.path.parent().unwrap_or(Path::new(""));
            let path =
                if file.is_empty() { page.path.clone() } else { normalize(&folder.join(file)) };
            let from = page.path.display();
            assert!(root().join(&path).is_file(), "{from}: no {target}");
            // mdBook copies nothing from outside of its source.
            let leaves = page.path.starts_with("docs/src") && !path.starts_with("docs/src");
            assert!(!leaves, "{from}: {target} is not part of the book");
            if !anchor.is_empty() {
                let anchors = Page::read(&path).anchors();
                assert!(
                    anchors.iter().any(|known| known == anchor),
                    "{from}: no {target}: {anchors:?}"
                );
            }
        }
    }
    assert!(links > 50, "only {links} links were found");
}

#[test]
fn the_summary_lists_every_page() {
    let summary = Page::read("docs/src/SUMMARY.md");
    let listed: BTreeSet<PathBuf> = targets(&summary.text)
        .into_iter()
        .map(|target| Path::new("docs/src").join(target))
        .collect();
    let pages: BTreeSet<PathBuf> =
        book().into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, pages);
}

#[test]
fn pages_with_code_are_part_of_the_tests_of_their_language() {
    let libraries: String = fs::read_dir(root().join("crates"))
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("src/lib.rs")).ok())
        .collect();
    let python = ["tests/differential/data.py", "tests/python/test_book.py"];
    let python = python.map(|path| Page::read(path).text).concat();
    for page in pages() {
        let path = page.path.display();
        for block in page.blocks() {
            let place = page.at(block.line);
            if block.tag.starts_with("rust") {
                let include = format!("include_str!(\"../../../{path}\")");
                assert!(libraries.contains(&include), "{place}: no library has {include}");
            } else if block.tag == "python" {
                assert!(
                    python.contains(&format!("\"{path}\"")),
                    "{place}: no test in Python has {path}"
                );
            }
        }
    }
}

/// The names by which the crates of the workspace call each other: `chess` for `tabiya-chess`.
fn names_within_the_workspace() -> Vec<String> {
    let manifest = Page::read("Cargo.toml").text;
    let name = |line: &str| Some(line.split_once(" = { package = \"tabiya")?.0.to_owned());
    manifest.lines().filter_map(name).collect()
}

/// The lines of a Rust example whose paths begin with a name that only the workspace has, such as
/// `chess::Position`. A name that the example imports from `tabiya_…` is one that its readers have.
fn unknown_names<'a>(example: &[&'a str], names: &[String]) -> Vec<&'a str> {
    let in_a_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_imported = |name: &str| {
        let imports = example.iter().filter(|line| line.contains("use tabiya_"));
        imports.flat_map(|line| line.split(|c| !in_a_name(c))).any(|word| word == name)
    };
    let begins_with = |line: &str, name: &str| {
        let path = format!("{name}::");
        let mut paths = line.match_indices(&path);
        paths.any(|(at, _)| !line[..at].ends_with(|c| in_a_name(c) || c == ':'))
    };
    let unknown: Vec<&String> = names.iter().filter(|name| !is_imported(name)).collect();
    let uses_unknown = |line: &&&str| unknown.iter().any(|name| begins_with(line, name));
    example.iter().filter(uses_unknown).copied().collect()
}

/// The files below a directory.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"))
    {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

#[test]
fn rust_examples_use_names_that_their_readers_have() {
    let names = names_within_the_workspace();
    assert!(names.len() > 12 && names.iter().any(|name| name == "chess"), "{names:?}");
    for (line, is_known) in [
        ("use chess::Position;", false),
        ("let start = chess::Position::INITIAL;", false),
        ("use tabiya_nnue::chess::Position;", true),
        ("use tabiya_chess::Position;", true),
    ] {
        assert_eq!(unknown_names(&[line], &names).is_empty(), is_known, "{line}");
    }
    let imported = ["use tabiya_paco::{PieceType, chess};", "let rook = chess::PieceType::Rook;"];
    assert!(unknown_names(&imported, &names).is_empty());

    let files = files_below(&root().join("crates"));
    let mut examples = 0;
    for path in files.iter().filter(|path| path.components().any(|c| c.as_os_str() == "src")) {
        let Ok(text) = fs::read_to_string(path) else { continue };
        // The tag of the open block, and its lines.
        let mut open: Option<(&str, Vec<&str>)> = None;
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim_start();
            let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
                open = None;
                continue;
            };
            match (doc.trim().strip_prefix("```"), &mut open) {
                (None, None) => {}
                (None, Some((_, block))) => block.push(doc),
                (Some(tag), None) => open = Some((tag, Vec::new())),
                (Some(_), Some((tag, block))) => {
                    if ["", "rust", "no_run", "should_panic", "compile_fail"].contains(tag) {
                        examples += 1;
                        let unknown = unknown_names(block, &names);
                        assert!(unknown.is_empty(), "{}:{number}: {unknown:?}", path.display());
                    }
                    open = None;
                }
            }
        }
    }
    assert!(examples > 100, "only {examples} examples were found");

    let readmes = files.iter().filter(|path| path.ends_with("README.md"));
    for page in readmes.map(Page::read).chain(pages()) {
        for block in page.blocks().iter().filter(|block| block.tag.starts_with("rust")) {
            let unknown = unknown_names(&block.text.lines().collect::<Vec<_>>(), &names);
            assert!(unknown.is_empty(), "{}: {unknown:?}", page.at(block.line));
        }
    }
}

#[test]
fn the_tutorial_lists_every_example() {
    let tutorial = Page::read("docs/src/tutorials/build.md").text;
    for directory in ["crates/chess/examples", "crates/engine/examples"] {
        for path in files_below(&root().join(directory)) {
            let path = format!("| `{}` |", path.strip_prefix(root()).expect("below it").display());
            assert!(tutorial.contains(&path), "build.md lacks {path}");
        }
    }
}

#[test]
fn the_readme_is_a_front_door() {
    let readme = Page::read("README.md").text;
    assert!(readme.lines().count() < 150, "the README has {} lines", readme.lines().count());
}
