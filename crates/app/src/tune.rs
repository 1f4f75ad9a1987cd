//! `tabiya tune`: SPSA over the options of an engine.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use arena::spsa::{self, GainSchedule, Iteration, Parameter, SavedState, Tuner, Tuning};
use arena::{EngineSpec, Tournament};
use layout::clock;

use crate::matches::GameArgs;
use crate::progress::{LOG_INTERVAL, LiveDisplay};
use crate::{Outcome, interrupt, output, threads};

/// Tune options of a UCI engine by SPSA
///
/// A parameter is a line as OpenBench has it: name, int or float, start, min, max, c, r. The name is a
/// UCI option; c is the perturbation and r the learning rate in the last iteration. Each iteration is
/// a pair of games between two copies of the engine with all parameters moved up or down by c, at
/// random and in opposite directions. α is 0.602, γ 0.101, A a tenth of the iterations.
///
/// The engine's own search parameters are UCI options in a build with the feature `tune`:
///   cargo build --release --features tune
/// --list prints them, and every other integer option, as lines to choose from.
///
/// Ctrl-C saves; the same command resumes from --state. Exit code 1 if the engine crashed, made an
/// illegal move or lost on time, or if the tuning failed; 130 if it was interrupted.
///
/// Examples:
///   tabiya tune self --list > margins.txt
///   tabiya tune self --params margins.txt --tc 4+0.04 --iterations 20000 --state tune.json --svg tune.svg
///   tabiya tune ./engine --param "Contempt, int, 20, 0, 100, 10, 0.002" --nodes 20000
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct TuneArgs {
    /// The engine, as in `tabiya match`
    #[arg(value_name = "ENGINE", value_parser = EngineSpec::parse)]
    engine: EngineSpec,
    /// A parameter
    #[arg(long = "param", value_name = "LINE", value_parser = str::parse::<Parameter>,
          required_unless_present_any = ["params", "list"])]
    param: Vec<Parameter>,
    /// File of parameters, one per line
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Print the integer options of the engine as parameters, and exit
    #[arg(long)]
    list: bool,
    /// Iterations, each a pair of games
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    iterations: u32,
    /// Concurrent pairs of games [default: number of cores]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    concurrency: Option<NonZero<usize>>,
    #[command(flatten)]
    rules: GameArgs,
    /// State file; an existing one is resumed
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Plot the parameters over the iterations
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The largest file of parameters.
const MAX_PARAMETERS: u64 = 1 << 20;
/// How often the plot is drawn.
const PLOT_INTERVAL: Duration = Duration::from_secs(30);

pub fn run(args: &TuneArgs, out: &mut dyn Write) -> Outcome {
    let outputs: Vec<&Path> =
        [&args.state, &args.svg, &args.rules.log].into_iter().flatten().map(|p| &**p).collect();
    let inputs: Vec<&Path> =
        [&args.params, &args.rules.openings].into_iter().flatten().map(|p| &**p).collect();
    for (n, path) in outputs.iter().enumerate() {
        ensure!(!outputs[..n].contains(path), "{} is two outputs", path.display());
    }
    output::ensure_not_inputs(outputs, inputs)?;
    let stop = Arc::new(AtomicBool::new(false));
    let stop_on_interrupt = Arc::clone(&stop);
    let interrupted = interrupt::listen(move || stop_on_interrupt.store(true, Relaxed))?;
    let tournament = args.rules.tournament(std::slice::from_ref(&args.engine), None, stop)?;
    if args.list {
        return list(&tournament, out);
    }
    let schedule = GainSchedule {
        parameters: parameters(args)?,
        iterations: args.iterations,
        seed: args.rules.seed,
    };
    let tuner = Tuner { tournament: &tournament, schedule: &schedule };
    let engine = tuner.check()?;
    let (saved, mut tuning) = match &args.state {
        None => (None, Tuning::new(&schedule)),
        Some(path) => {
            let mut settings = args.rules.settings(&tournament);
            settings["iterations"] = args.iterations.into();
            let lines = schedule.parameters.iter().map(Parameter::to_string);
            settings["parameters"] = lines.collect::<Vec<String>>().into();
            let (saved, tuning) = SavedState::open(path, settings, &schedule)?;
            (Some(saved), tuning)
        }
    };
    let title = format!("{engine}: SPSA");
    let plot = |tuning: &Tuning| match &args.svg {
        Some(path) => output::write(path, spsa::svg(&title, &schedule, tuning)),
        None => Ok(()),
    };
    let mut live = Live::new(&schedule, &tuning);
    live.show(&schedule, &tuning);
    let mut drawn = Instant::now();
    let concurrency = threads::or_cores(args.concurrency).get();
    let outcome = tuner.run(&mut tuning, concurrency, |tuning, iteration| {
        if let Some(saved) = &saved {
            saved.save(tuning)?;
        }
        live.print_faults(iteration);
        live.show(&schedule, tuning);
        if drawn.elapsed() >= PLOT_INTERVAL {
            drawn = Instant::now();
            plot(tuning)?;
        }
        anyhow::Ok(true)
    });
    drop(live);
    plot(&tuning)?;
    report(&schedule, &tuning, args.json, out)?;
    // Errors come after the report of what was tuned.
    outcome?;
    if interrupted.load(Relaxed) {
        let advice = if args.state.is_some() { "; the same command resumes" } else { "" };
        eprintln!("tabiya: interrupted{advice}");
        return Ok(interrupt::exit_code());
    }
    Ok(if tuning.faults > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The parameters of the command line, then those of the file.
fn parameters(args: &TuneArgs) -> anyhow::Result<Vec<Parameter>> {
    let mut parameters = args.param.clone();
    if let Some(path) = &args.params {
        let text = data::read_text(path, MAX_PARAMETERS)?;
        let lines = Parameter::parse_lines(&String::from_utf8_lossy(&text));
        parameters.extend(lines.with_context(|| path.display().to_string())?);
    }
    ensure!(!parameters.is_empty(), "no parameters");
    Ok(parameters)
}

/// Prints the integer options of the engine as parameters.
fn list(tournament: &Tournament, out: &mut dyn Write) -> Outcome {
    let engine = tournament.start_engine(0, "list".to_owned())?;
    for parameter in spsa::suggestions(&engine.options) {
        writeln!(out, "{parameter}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(
    schedule: &GainSchedule,
    tuning: &Tuning,
    as_json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if as_json {
        writeln!(out, "{}", spsa::json(schedule, tuning))?;
        return Ok(());
    }
    let table = spsa::table(schedule, tuning).without(&spsa::UNIMPORTANT, layout::width());
    out.write_all(table.as_bytes())?;
    layout::prose(out, spsa::summary(schedule, tuning))?;
    Ok(())
}

/// The display of a running tuning: a table redrawn in place on a terminal, otherwise a line now and then.
struct Live {
    display: LiveDisplay,
    start: Instant,
    resumed: u32,
}

impl Live {
    fn new(schedule: &GainSchedule, tuning: &Tuning) -> Self {
        let template = "{wide_bar} {pos}/{len} iterations, {prefix}\n{msg}";
        let display = LiveDisplay::new(schedule.iterations.into(), template).ticking();
        Self { display, start: Instant::now(), resumed: tuning.iterations }
    }

    fn show(&mut self, schedule: &GainSchedule, tuning: &Tuning) {
        let done = f64::from(tuning.iterations - self.resumed);
        let rate = done / self.start.elapsed().as_secs_f64().max(1e-9);
        let left = f64::from(schedule.iterations - tuning.iterations) / rate.max(1e-9);
        let left = clock(left);
        let pace = format!("{:.1}/min, {left} left", 60.0 * rate);
        if let Some(bar) = self.display.bar() {
            bar.set_position(tuning.iterations.into());
            bar.set_prefix(pace);
            let table = spsa::table(schedule, tuning);
            bar.set_message(table.without(&spsa::UNIMPORTANT, layout::log_width()));
        } else {
            let line =
                || format!("{}/{} iterations, {pace}", tuning.iterations, schedule.iterations);
            self.display.line_every(LOG_INTERVAL, false, line);
        }
    }

    fn print_faults(&self, iteration: &Iteration) {
        for fault in &iteration.faults {
            let number = iteration.trial.iteration;
            self.display.line(&format!("iteration {number}: {fault}"));
        }
    }
}
