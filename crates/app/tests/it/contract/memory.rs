//! Memory and threads that are not there: reported, and all options are kept.

use std::process::Command;

use super::driver::Engine;

/// Options that are not at their defaults.
const OPTIONS: [&str; 4] = [
    "setoption name Hash value 8",
    "setoption name MultiPV value 2",
    "setoption name Threads value 2",
    "setoption name EvalFile value classic",
];

fn errors(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info string error: ")).collect()
}

/// Searches and checks that the options are still set.
fn assert_options_are_kept(engine: &mut Engine, after: &str) {
    engine.send("position startpos");
    let lines = engine.search("go depth 3");
    assert_eq!(errors(&lines), [""; 0], "{after}");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")), "{after}: {lines:?}");
    let lines = engine.ask("eval");
    assert!(lines.iter().any(|line| line.contains("classical evaluation")), "{after}: {lines:?}");
}

#[test]
fn threads_beyond_a_limit_of_memory_are_refused_and_all_options_kept() {
    let mut refused = 0;
    // From just enough to play to more than 256 threads take.
    for mebibytes in [350, 400, 500, 700, 1000, 2000, 4000, 8000, 12_000, 16_000] {
        let mut engine = Engine::start_within(mebibytes << 10);
        for option in OPTIONS {
            assert_eq!(errors(&engine.ask(option)), [""; 0], "{mebibytes} MiB: {option}");
        }
        for threads in [256, 100, 30, 10, 3] {
            let lines = engine.ask(&format!("setoption name Threads value {threads}"));
            let after = format!("{threads} threads in {mebibytes} MiB: {lines:?}");
            match errors(&lines)[..] {
                [] => {}
                [error] => {
                    assert!(error.contains("setoption: Threads: "), "{after}");
                    refused += 1;
                }
                _ => panic!("{after}"),
            }
            assert_options_are_kept(&mut engine, &after);
        }
        engine.quit();
    }
    assert!(refused >= 5, "{refused}");
}

#[test]
fn tables_beyond_a_limit_of_memory_are_refused_and_leave_enough_to_search() {
    let mut engine = Engine::start_within(400 << 10);
    for option in OPTIONS {
        assert_eq!(errors(&engine.ask(option)), [""; 0], "{option}");
    }
    let mut refused = 0;
    for mebibytes in (8..400).step_by(4) {
        let lines = engine.ask(&format!("setoption name Hash value {mebibytes}"));
        refused += errors(&lines).len();
        assert_options_are_kept(&mut engine, &format!("{mebibytes} MiB"));
    }
    assert!(refused > 0);
    engine.quit();
}

/// Sets the limit on the address space of a running process, by a program of util-linux.
fn limit(engine: &Engine, bytes: &str) {
    let arguments = [format!("--pid={}", engine.id()), format!("--as={bytes}:")];
    let status = Command::new("prlimit").args(arguments).status().expect("prlimit runs");
    assert!(status.success(), "{status}");
}

#[test]
fn a_search_for_which_no_thread_can_be_started_is_answered_and_all_options_kept() {
    let mut engine = Engine::start();
    for option in OPTIONS {
        assert_eq!(errors(&engine.ask(option)), [""; 0], "{option}");
    }
    let size = std::fs::read_to_string(format!("/proc/{}/statm", engine.id())).expect("a process");
    let pages: usize = size.split(' ').next().expect("its size").parse().expect("in pages");
    // Less than a stack for the search, of which there has been none: systems keep stacks for later.
    limit(&engine, &(pages * 4096 + (8 << 20)).to_string());
    for _ in 0..3 {
        engine.send("position startpos");
        let lines = engine.search("go depth 3");
        assert_eq!(errors(&lines).len(), 1, "{lines:?}");
        assert!(lines[0].contains("no thread can be started"), "{lines:?}");
        let [error] = &engine.ask("setoption name Threads value 9")[..] else { panic!() };
        assert!(error.starts_with("info string error: setoption: Threads: "), "{error}");
    }
    limit(&engine, "unlimited");
    assert_options_are_kept(&mut engine, "a search without a thread");
    engine.quit();
}
