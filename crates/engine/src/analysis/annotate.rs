//! Annotates a PGN tree with evaluations, judgements and better variations.
//!
//! Evaluations and judgements of an earlier analysis, by any program, are replaced. All other comments, NAGs
//! and variations stay.

use chess::pgn::{GameTree, Nag, TreeError};

use super::game::{GameAnalysis, MoveAnalysis};
use super::judge::Judgement;
use crate::value::to_score;

/// Maximum length of a better variation, in plies.
const MAX_VARIATION: usize = 8;
/// The comment after the last move of a stopped analysis.
const STOPPED: &str = "Analysis stopped here.";
/// The start of an evaluation command.
const EVAL: &str = "[%eval";

/// The game with `[%eval …]` after every move; marked moves get a NAG and the better variation.
pub fn annotate(analysis: &GameAnalysis) -> Result<GameTree, TreeError> {
    let mut tree = analysis.tree.clone();
    for judged in &analysis.moves {
        let was_analysed = set_eval(&mut tree, judged)?;
        set_judgement(&mut tree, judged, was_analysed)?;
        if judged.judgement.is_some() {
            add_better(&mut tree, judged)?;
        }
    }
    if let (true, Some(last)) = (analysis.stopped, analysis.moves.last()) {
        tree.add_comment(last.id, STOPPED)?;
    }
    Ok(tree)
}

/// Puts the evaluation before the other comments of the move. A checkmate gets none: `#0` has no sign.
/// Returns whether the move had an evaluation before.
fn set_eval(tree: &mut GameTree, judged: &MoveAnalysis) -> Result<bool, TreeError> {
    let Some(node) = tree.node(judged.id) else { return Err(TreeError::NoSuchNode) };
    let old = node.comments().to_vec();
    let mut comments: Vec<String> = old
        .iter()
        .map(|comment| without_eval(comment))
        .filter(|comment| !comment.is_empty() && comment != STOPPED)
        .collect();
    let eval = match to_score(judged.white) {
        chess::Score::Centipawns(cp) => Some(format!("{EVAL} {:.2}]", f64::from(cp) / 100.0)),
        chess::Score::Mate(0) => None,
        chess::Score::Mate(moves) => Some(format!("{EVAL} #{moves}]")),
    };
    if let Some(eval) = eval {
        match comments.first_mut() {
            // Commands share one comment, as other programs write them.
            Some(first) if first.starts_with("[%") => *first = format!("{eval} {first}"),
            _ => comments.insert(0, eval),
        }
    }
    // Only variations have comments before a move, and this is the main line.
    tree.clear_comments(judged.id)?;
    for comment in &comments {
        tree.add_comment(judged.id, comment)?;
    }
    Ok(old.iter().any(|comment| without_eval(comment) != *comment))
}

/// The comment without `[%eval …]` commands and the spaces around them.
fn without_eval(comment: &str) -> String {
    let mut left = String::new();
    let mut rest = comment;
    while let Some((before, command)) = rest.split_once(EVAL) {
        let after = command.strip_prefix(char::is_whitespace).and_then(|c| c.split_once(']'));
        let Some((_, after)) = after else {
            // `[%evaluation]`, or an unterminated command.
            left.push_str(before);
            left.push_str(EVAL);
            rest = command;
            continue;
        };
        left.push_str(before);
        rest = if left.is_empty() || left.ends_with(' ') { after.trim_start() } else { after };
    }
    left.push_str(rest);
    left.trim().to_owned()
}

/// Sets the judgement. It replaces the other move assessments (`!`, `??`, `!?` and so on). A move without a
/// judgement keeps the NAGs of annotators, but not the judgements of an earlier analysis.
fn set_judgement(
    tree: &mut GameTree,
    judged: &MoveAnalysis,
    was_analysed: bool,
) -> Result<(), TreeError> {
    let Some(node) = tree.node(judged.id) else { return Err(TreeError::NoSuchNode) };
    let is_quality = |nag: Nag| (Nag::GOOD..=Nag::DUBIOUS).contains(&nag);
    let is_judgement = |nag: Nag| Judgement::ALL.iter().any(|judgement| judgement.nag() == nag);
    let mut nags: Vec<Nag> = Vec::new();
    nags.extend(judged.judgement.map(Judgement::nag));
    for &nag in node.nags() {
        let replaced = match judged.judgement {
            Some(_) => is_quality(nag),
            None => was_analysed && is_judgement(nag),
        };
        if !replaced && !nags.contains(&nag) {
            nags.push(nag);
        }
    }
    tree.clear_nags(judged.id)?;
    nags.into_iter().try_for_each(|nag| tree.add_nag(judged.id, nag))
}

/// Adds the better variation.
fn add_better(tree: &mut GameTree, judged: &MoveAnalysis) -> Result<(), TreeError> {
    let (Some((moves, _)), Some(parent)) =
        (&judged.better, tree.node(judged.id).and_then(|node| node.parent()))
    else {
        return Ok(());
    };
    let mut at = parent;
    for &m in moves.iter().take(MAX_VARIATION) {
        // Extends an existing variation instead of adding it twice.
        let children = tree.node(at).map(|node| node.children().to_vec()).unwrap_or_default();
        let known = children
            .into_iter()
            .find(|&child| tree.node(child).is_some_and(|node| node.played() == Some(m)));
        at = match known {
            Some(child) => child,
            None => tree.add_move(at, m)?,
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::pgn::read_trees;

    #[test]
    fn only_evaluations_are_removed_from_comments() {
        for (comment, left) in [
            ("[%eval 0.17]", ""),
            ("[%eval 0.17] [%clk 0:01:00]", "[%clk 0:01:00]"),
            ("[%clk 0:01:00] [%eval #-3,20] good", "[%clk 0:01:00] good"),
            ("[%eval 1]  [%eval 2] two", "two"),
            ("a[%eval 1]b", "ab"),
            ("[%evaluation 1] [%eval 1", "[%evaluation 1] [%eval 1"),
            ("two  blanks", "two  blanks"),
        ] {
            assert_eq!(without_eval(comment), left);
        }
    }

    /// An analysis with these scores and judgements, stopped after them.
    fn analysis(text: &str, moves: &[(i32, Option<Judgement>)]) -> GameAnalysis {
        let tree = read_trees(text.as_bytes()).remove(0).unwrap();
        let mut before = *tree.root().position();
        let judged = tree.main_line().zip(moves).map(|((id, node), &(white, judgement))| {
            let m = node.played().unwrap();
            let judged = MoveAnalysis {
                id,
                before,
                m,
                white,
                loss: 0.0,
                judgement,
                reply: Vec::new(),
                better: None,
            };
            before = *node.position();
            judged
        });
        let moves: Vec<MoveAnalysis> = judged.collect();
        let stopped = moves.len() < tree.main_line().count();
        GameAnalysis { tree, start: 0, moves, stopped, problem: None }
    }

    fn written(analysis: &GameAnalysis) -> String {
        let text = annotate(analysis).unwrap().to_string();
        text.split_once("\n\n").unwrap().1.trim_end().replace('\n', " ")
    }

    #[test]
    fn an_earlier_analysis_is_replaced_and_other_annotations_stay() {
        let text = "1. e4 $4 $4 $18 { [%eval 0.1] [%clk 0:01:00] } e5 $2 { [%eval 9] } 2. Nf3 $1 \
                    { fine } Nc6 $1 { [%eval 0.2] { b } *";
        let analysis =
            analysis(text, &[(9, Some(Judgement::Mistake)), (-9, None), (20, None), (31, None)]);
        let once = "1. e4 $2 $18 { [%eval 0.09] [%clk 0:01:00] } 1... e5 { [%eval -0.09] } 2. \
                    Nf3 $1 { [%eval 0.20] } { fine } 2... Nc6 $1 { [%eval 0.31] } { ( b } *";
        assert_eq!(written(&analysis), once);
        // Annotating twice changes nothing.
        let again = GameAnalysis { tree: annotate(&analysis).unwrap(), ..analysis };
        assert_eq!(written(&again), once);
    }

    #[test]
    fn a_checkmate_has_no_evaluation_and_a_forced_mate_has_one() {
        let scores = [(0, None), (0, None), (-31_999, None), (-32_000, None)];
        let analysis = analysis("1. f3 e5 2. g4 Qh4# 0-1", &scores);
        let mated =
            "1. f3 { [%eval 0.00] } 1... e5 { [%eval 0.00] } 2. g4 { [%eval #-1] } 2... Qh4# 0-1";
        assert_eq!(written(&analysis), mated);
    }

    #[test]
    fn a_stopped_analysis_is_marked_until_it_is_complete() {
        let text = "1. e4 e5 2. Nf3 *";
        let stopped = analysis(text, &[(9, None)]);
        let expected = "1. e4 { [%eval 0.09] } { Analysis stopped here. } 1... e5 2. Nf3 *";
        assert_eq!(written(&stopped), expected);
        let whole = analysis(&annotate(&stopped).unwrap().to_string(), &[(9, None); 3]);
        assert!(!written(&whole).contains("stopped"));
        assert_eq!(written(&analysis(text, &[])), text);
    }
}
