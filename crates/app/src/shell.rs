//! `tabiya completions` and `tabiya man`: from the same definitions as `--help`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{Outcome, output};

/// Print a completion script for a shell
///
/// Example: tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print the manual page, or write one for each command
///
/// Example: tabiya man | man -l -
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ManArgs {
    /// Write tabiya.1, tabiya-perft.1 and so on into this directory, which must exist
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn completions(args: CompletionsArgs, mut command: Command, out: &mut dyn Write) -> Outcome {
    // Into memory first: the generator panics on an output that fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tabiya", &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: ManArgs, mut command: Command, out: &mut dyn Write) -> Outcome {
    let Some(dir) = args.dir else {
        Man::new(command).render(out)?;
        return Ok(ExitCode::SUCCESS);
    };
    command.build();
    write_pages(&command, "tabiya", &dir)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and those of its subcommands.
fn write_pages(command: &Command, name: &str, dir: &Path) -> anyhow::Result<()> {
    let mut page = Vec::new();
    Man::new(command.clone()).title(name).render(&mut page)?;
    let path = dir.join(format!("{name}.1"));
    output::write(&path, &page).with_context(|| format!("cannot write {}", path.display()))?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        write_pages(sub, &format!("{name}-{}", sub.get_name()), dir)?;
    }
    Ok(())
}
