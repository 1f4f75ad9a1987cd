//! The `--threads` option of all commands.

use std::num::NonZero;

/// Maximum number of threads.
pub const MAX_THREADS: usize = 256;

/// The option, to be flattened into the arguments of a command.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Threads {
    /// Number of threads, 1 to 256 [default: number of cores]
    #[arg(long, value_name = "N", value_parser = parse)]
    threads: Option<NonZero<usize>>,
}

impl Threads {
    /// The number of threads; by default the number of cores.
    pub fn count(self) -> NonZero<usize> {
        or_cores(self.threads)
    }
}

/// The number of threads; by default the number of cores.
pub fn or_cores(given: Option<NonZero<usize>>) -> NonZero<usize> {
    given.unwrap_or_else(|| {
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        cores.min(NonZero::new(MAX_THREADS).unwrap_or(NonZero::<usize>::MIN))
    })
}

/// Parses a number of threads.
pub fn parse(text: &str) -> Result<NonZero<usize>, String> {
    let number: NonZero<usize> = text
        .parse()
        .ok()
        .filter(|number: &NonZero<usize>| number.get() <= MAX_THREADS)
        .ok_or_else(|| format!("the number of threads must be from 1 to {MAX_THREADS}"))?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_range_are_rejected() {
        assert_eq!(parse("256").map(NonZero::get), Ok(256));
        for text in
            ["0", "-1", "257", "1000000", "18446744073709551615", "99999999999999999999", ""]
        {
            assert!(parse(text).unwrap_err().contains("1 to 256"), "{text}");
        }
    }
}
