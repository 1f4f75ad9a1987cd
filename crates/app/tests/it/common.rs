//! Running the program: arguments and standard input in, output and exit code out.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub const TABIYA: &str = env!("CARGO_BIN_EXE_tabiya");

/// The program with these arguments, no input, and its output captured.
pub fn tabiya(arguments: &[&str]) -> Command {
    let mut command = Command::new(TABIYA);
    command.args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program.
pub fn run(arguments: &[&str]) -> Output {
    tabiya(arguments).output().expect("the program runs")
}

/// Runs the program with this on its standard input.
pub fn run_with(arguments: &[&str], input: impl AsRef<[u8]> + Sync) -> Output {
    pipe_into(&mut tabiya(arguments), input)
}

/// Runs a command with this on its standard input.
pub fn pipe_into(command: &mut Command, input: impl AsRef<[u8]> + Sync) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // On its own thread: the program may write before it has read everything, or end without reading.
        scope.spawn(|| {
            let mut stdin = stdin;
            let _ = stdin.write_all(input.as_ref());
        });
        child.wait_with_output().expect("the program ends")
    })
}

/// UTF-8 output as text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output in UTF-8")
}

/// Runs the program, which must succeed, and returns its standard output.
pub fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The same, parsed as JSON.
pub fn succeed_json(arguments: &[&str]) -> Value {
    json(&succeed(arguments))
}

/// Runs the program, which must fail with this exit code, and returns its message: one line if the code
/// is 1, the usage as well if it is 2.
pub fn fail(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    if code == 1 {
        assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
        assert!(message.starts_with("tabiya: "), "{arguments:?}: {message}");
    }
    message.to_owned()
}

/// Sends SIGINT, as Ctrl-C does.
#[cfg(unix)]
pub fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Parses JSON.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}
