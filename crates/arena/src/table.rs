//! Standings as tables, with a line for each engine.

use layout::{Table, count, shorten, wrap};

use crate::{
    Fault, FaultCount, Incident, MatchReport, MatchScore, Pairing, Sprt, Standings, Verdict,
};

/// Names are cut to this many characters.
const MAX_NAME: usize = 28;
/// Faults in the report; JSON has all of them.
const MAX_FAULTS: usize = 20;

/// Columns of [`ranking`] that a narrow table leaves out: pairs, score rate, LOS, wins, draws, losses.
pub const UNIMPORTANT: [usize; 6] = [11, 4, 10, 5, 6, 7];

/// The report of a match, as wide as this.
pub fn report(report: &MatchReport<'_>, width: usize) -> String {
    let (standings, names) = (report.standings, report.names);
    let mut parts = vec![ranking(standings, names).stacked(width)];
    if report.pairings.len() > 1 {
        parts.push(pairings(standings, names, report.pairings).stacked(width));
    }
    parts.push(totals(standings, names).stacked(width));
    if standings.has_faults() {
        parts.push(wrap(&incidents(standings, names), width, 2));
    }
    let mut last = String::new();
    if let (Some(test), Some(&pairing)) = (&report.sprt, report.pairings.first()) {
        last = format!("{}\n", sprt(test, &standings.pairing(pairing)));
    }
    let resumed = match report.pace.resumed {
        0 => String::new(),
        resumed => {
            let new = (standings.games() as usize).saturating_sub(resumed);
            format!(", {} of this run", count(new, "game"))
        }
    };
    let endings: Vec<String> =
        standings.endings.iter().map(|(ending, count)| format!("{count} {ending}")).collect();
    last = format!(
        "{last}{} of {}{} in {:.1} s{}{}\n",
        standings.games(),
        count(report.pace.planned, "game"),
        resumed,
        report.time.as_secs_f64(),
        if endings.is_empty() { String::new() } else { format!(": {}", endings.join(", ")) },
        if report.is_interrupted { "; interrupted" } else { "" },
    );
    parts.push(wrap(&last, width, 2));
    parts.join("\n")
}

/// The ranking.
pub fn ranking(standings: &Standings, names: &[String]) -> Table {
    let mut table = Table::new(heading("#", "engine"), &[1], 2);
    for (rank, engine) in standings.ranking().into_iter().enumerate() {
        let mut cells = vec![(rank + 1).to_string(), shorten(&names[engine], MAX_NAME)];
        cells.extend(score(&standings.engine(engine)));
        table.row(cells);
    }
    table
}

/// Each pairing, from the point of view of its first engine.
pub fn pairings(standings: &Standings, names: &[String], pairings: &[Pairing]) -> Table {
    let mut table = Table::new(heading("engine", "against"), &[0, 1], 2);
    for &(first, second) in pairings {
        let mut cells = vec![shorten(&names[first], MAX_NAME), shorten(&names[second], MAX_NAME)];
        cells.extend(score(&standings.pairing((first, second))));
        table.row(cells);
    }
    table
}

fn score(score: &MatchScore) -> Vec<String> {
    let mut cells = vec![
        score.points().to_string(),
        score.games().to_string(),
        if score.games() == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * score.rate()) },
        score.wins.to_string(),
        score.draws.to_string(),
        score.losses.to_string(),
    ];
    match score.pairs.estimate() {
        Some(estimate) => cells.extend([
            number(estimate.elo, true),
            number(estimate.error(), false),
            format!("{:.1}%", 100.0 * estimate.los),
        ]),
        None => cells.extend(row(["-", "-", "-"])),
    }
    cells.push(score.pairs.0.map(|count| count.to_string()).join("-"));
    cells
}

/// Depth, speed, time and faults of each engine.
pub fn totals(standings: &Standings, names: &[String]) -> Table {
    let mut head = row(["engine"]);
    head.extend(Fault::ALL.map(|fault| fault.short().to_owned()));
    head.extend(row(["depth", "knps", "ms/move", "late ms", "least clock ms"]));
    let mut table = Table::new(head, &[0], 1);
    for (engine, totals) in standings.totals.iter().enumerate() {
        let moves = totals.moves.max(1) as f64;
        let mut cells = vec![shorten(&names[engine], MAX_NAME)];
        cells.extend(Fault::ALL.map(|fault| totals.faults.count(fault).to_string()));
        cells.extend([
            format!("{:.1}", totals.depths as f64 / moves),
            format!("{:.0}", totals.nodes as f64 / totals.milliseconds.max(0.001)),
            format!("{:.1}", totals.milliseconds / moves),
            format!("{:.1}", totals.overrun),
            totals.lowest_clock.map_or("-".to_owned(), |least| format!("{least:.1}")),
        ]);
        table.row(cells);
    }
    table
}

/// The first faults in words, by game.
fn incidents(standings: &Standings, names: &[String]) -> String {
    let mut incidents: Vec<&Incident> = standings.incidents.iter().collect();
    incidents.sort_by_key(|incident| incident.game);
    let faults = incidents.iter().flat_map(|incident| {
        let name = &names[incident.engine];
        incident.faults.iter().map(|(fault, found)| self::fault(incident.game, name, fault, found))
    });
    let mut lines: Vec<String> = faults.collect();
    if lines.len() > MAX_FAULTS {
        let more = lines.len() - MAX_FAULTS;
        lines.truncate(MAX_FAULTS);
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n") + "\n"
}

/// A fault in words.
pub fn fault(game: u32, name: &str, fault: Fault, found: &FaultCount) -> String {
    let times = if found.count > 1 { format!(" ({} times)", found.count) } else { String::new() };
    format!("game {game}: {name}: {fault}{times}: {}", found.example)
}

/// The state of a sequential test.
pub fn sprt(test: &Sprt, score: &MatchScore) -> String {
    let (low, high) = test.bounds();
    let verdict = match test.verdict(&score.pairs) {
        Verdict::Accept => format!("accepted: at least {} Elo", test.elo1),
        Verdict::Reject => format!("rejected: at most {} Elo", test.elo0),
        Verdict::Open => "open".to_owned(),
    };
    format!(
        "SPRT elo0={} elo1={}: LLR {:.2} in ({low:.2}, {high:.2}), {verdict}",
        test.elo0,
        test.elo1,
        test.llr(&score.pairs)
    )
}

/// One decimal, with or without a sign; `-` if unknown.
fn number(value: f64, signed: bool) -> String {
    match (value.is_finite(), signed) {
        (true, true) => format!("{value:+.1}"),
        (true, false) => format!("{value:.1}"),
        (false, true) if value > 0.0 => "+inf".to_owned(),
        (false, true) if value < 0.0 => "-inf".to_owned(),
        (false, _) => "-".to_owned(),
    }
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// The headings of two names and of the cells of [`score`].
fn heading(first: &str, second: &str) -> Vec<String> {
    let scores = ["points", "games", "%", "+", "=", "-", "Elo", "±", "LOS", "pairs 0-½-1-1½-2"];
    [first, second].into_iter().chain(scores).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_games_has_a_line_for_each_engine_and_no_estimates() {
        let names = ["one".to_owned(), "x".repeat(40)];
        let text = ranking(&Standings::new(2), &names).stacked(120);
        assert_eq!(text.lines().count(), 3);
        assert!(text.contains("one") && text.contains(&"x".repeat(27)) && !text.contains("NaN"));
    }

    #[test]
    fn tables_fit_narrow_terminals() {
        let names = ["a".repeat(40), "Stockfish 17".to_owned()];
        let standings = Standings::new(2);
        for width in [60, 80, 120] {
            let report = [
                ranking(&standings, &names).stacked(width),
                ranking(&standings, &names).without(&UNIMPORTANT, width),
                pairings(&standings, &names, &[(0, 1)]).stacked(width),
                totals(&standings, &names).stacked(width),
            ];
            for line in report.iter().flat_map(|text| text.lines()) {
                assert!(line.chars().count() <= width, "{line}");
            }
        }
    }
}
