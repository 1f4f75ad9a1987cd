//! `--help` fitted to the terminal; usage errors in one line.

use clap::error::{ContextKind, ErrorKind};
use clap::{Command, Error};
use layout::paragraphs;

/// Fits the help of a command and its subcommands to a width.
pub fn fitted(command: Command, width: usize) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let about = command.get_long_about().map(|about| paragraphs(&about.to_string(), width));
    let mut command = command.term_width(width);
    if let Some(about) = about {
        command = command.long_about(about);
    }
    for name in names {
        command = command.mut_subcommand(name, |sub| fitted(sub, width));
    }
    command
}

/// Prints a usage error or help, and exits.
pub fn explain(error: &Error) -> ! {
    if error.kind() != ErrorKind::InvalidSubcommand {
        error.exit();
    }
    let context = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let name = context(ContextKind::InvalidSubcommand);
    let similar = context(ContextKind::SuggestedSubcommand);
    eprintln!("error: {}", unknown_command(&name, &similar));
    std::process::exit(2)
}

/// The message for an unknown command.
fn unknown_command(name: &str, similar: &str) -> String {
    let shown: String = name.chars().take(60).collect::<String>().escape_debug().to_string();
    if similar.is_empty() {
        return format!("there is no command '{shown}': 'tabiya help' lists the commands");
    }
    format!("there is no command '{shown}'; perhaps '{similar}'? 'tabiya help' lists them")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn help_fits_the_terminal() {
        fn check(command: &mut Command, path: &str, width: usize, wide: &mut Vec<String>) {
            for text in [command.render_help(), command.render_long_help()] {
                let lines = text.to_string();
                let over = lines.lines().filter(|line| line.chars().count() > width);
                wide.extend(over.map(|line| format!("{path} at {width}: {line}")));
            }
            let names: Vec<String> =
                command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
            for name in names {
                if let Some(sub) = command.find_subcommand_mut(&name) {
                    check(sub, &format!("{path} {name}"), width, wide);
                }
            }
        }
        // Unbreakable: clap's usage line, and a quoted argument.
        let is_whole = |line: &String| line.contains(": Usage: ") || line.contains(":       '");
        let mut wide = Vec::new();
        for width in [60, 80, 120] {
            let mut command = fitted(crate::Cli::command(), width);
            command.build();
            check(&mut command, "tabiya", width, &mut wide);
            if width == 60 {
                wide.retain(|line| !is_whole(line));
            }
        }
        assert!(wide.is_empty(), "{}", wide.join("\n"));
    }

    #[test]
    fn an_unknown_command_is_named_in_one_line() {
        assert!(unknown_command("chess", "").contains("tabiya help"));
        assert!(unknown_command("anlyse", "analyse").contains("perhaps 'analyse'"));
        let odd = unknown_command(&"\n\u{1b}[31m".repeat(50), "");
        assert!(odd.lines().count() == 1 && !odd.contains('\u{1b}'), "{odd}");
    }
}
