//! Standings as text for people: tables with a line for each engine.

use crate::layout::{Table, shorten};

use super::record::{Fault, Tally};
use super::standings::{Incident, Score, Standings};
use super::stats::{Sprt, Verdict};

/// Names are cut to this many characters.
const NAME: usize = 28;

/// Columns of [`ranking`] that a table without room for all leaves out: pairs, share, LOS, wins, draws, losses.
pub const UNIMPORTANT: [usize; 6] = [11, 4, 10, 5, 6, 7];

/// The ranking.
pub fn ranking(standings: &Standings, names: &[String]) -> Table {
    let mut table = Table::new(heading("#", "engine"), &[1], 2);
    for (rank, engine) in standings.ranking().into_iter().enumerate() {
        let mut cells = vec![(rank + 1).to_string(), shorten(&names[engine], NAME)];
        cells.extend(score(&standings.engine(engine)));
        table.row(cells);
    }
    table
}

/// Each pairing, from the view of its first.
pub fn pairings(standings: &Standings, names: &[String], pairings: &[(usize, usize)]) -> Table {
    let mut table = Table::new(heading("engine", "against"), &[0, 1], 2);
    for &(first, second) in pairings {
        let mut cells = vec![shorten(&names[first], NAME), shorten(&names[second], NAME)];
        cells.extend(score(&standings.pairing((first, second))));
        table.row(cells);
    }
    table
}

fn score(score: &Score) -> Vec<String> {
    let mut cells = vec![
        score.points().to_string(),
        score.games().to_string(),
        if score.games() == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * score.share()) },
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

/// What each engine did, right and wrong.
pub fn conduct(standings: &Standings, names: &[String]) -> Table {
    let mut head = row(["engine"]);
    head.extend(Fault::ALL.map(|fault| fault.short().to_owned()));
    head.extend(row(["depth", "knps", "ms/move", "late ms", "least clock ms"]));
    let mut table = Table::new(head, &[0], 1);
    for (engine, conduct) in standings.conduct.iter().enumerate() {
        let moves = conduct.moves.max(1) as f64;
        let mut cells = vec![shorten(&names[engine], NAME)];
        cells.extend(Fault::ALL.map(|fault| conduct.faults.count(fault).to_string()));
        cells.extend([
            format!("{:.1}", conduct.depths as f64 / moves),
            format!("{:.0}", conduct.nodes as f64 / conduct.milliseconds.max(0.001)),
            format!("{:.1}", conduct.milliseconds / moves),
            format!("{:.1}", conduct.overrun),
            conduct.lowest_clock.map_or("-".to_owned(), |least| format!("{least:.1}")),
        ]);
        table.row(cells);
    }
    table
}

/// The first faults in words, in the order of games.
pub fn incidents(standings: &Standings, names: &[String], most: usize) -> String {
    let mut incidents: Vec<&Incident> = standings.incidents.iter().collect();
    incidents.sort_by_key(|incident| incident.game);
    let told = incidents.iter().flat_map(|incident| {
        let name = &names[incident.engine];
        incident.faults.iter().map(|(fault, tally)| self::fault(incident.game, name, fault, tally))
    });
    let mut lines: Vec<String> = told.collect();
    if lines.len() > most {
        let more = lines.len() - most;
        lines.truncate(most);
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n") + "\n"
}

/// A fault in words.
pub fn fault(game: u32, name: &str, fault: Fault, tally: &Tally) -> String {
    let times = if tally.count > 1 { format!(" ({} times)", tally.count) } else { String::new() };
    format!("game {game}: {name}: {fault}{times}: {}", tally.example)
}

/// How a sequential test stands.
pub fn sprt(test: &Sprt, score: &Score) -> String {
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

/// One decimal, with a sign if wanted; `inf` and what is not known in words.
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

/// Two names, and over what [`score`] gives.
fn heading(first: &str, second: &str) -> Vec<String> {
    let scores = ["points", "games", "%", "+", "=", "-", "Elo", "±", "LOS", "pairs 0-½-1-1½-2"];
    [first, second].into_iter().chain(scores).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_games_has_a_line_for_each_engine_and_no_numbers() {
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
                conduct(&standings, &names).stacked(width),
            ];
            for line in report.iter().flat_map(|text| text.lines()) {
                assert!(line.chars().count() <= width, "{line}");
            }
        }
    }
}
