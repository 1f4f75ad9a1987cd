//! The program `tabiya`; see the library for what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    tabiya_app::launch_best_build();
    tabiya_app::main(std::env::args_os().collect())
}
