//! Lines, threats, the model, the report, and learning from it.

use chess::{Game, Position};
use engine::analysis::{AnalysisEngine, GameAnalysis};
use engine::search::{Engine, Limits};
use pra::predict::PositionPrediction;
use serde_json::json;
use tabiya_serve::job::*;
use tabiya_serve::protocol::*;

use super::page::*;

fn engine_on(page: &mut Client, multipv: usize, threat: bool) {
    page.send(json!({ "type": "set_engine", "on": true, "multipv": multipv, "threat": threat }));
}

fn sent_lines(page: &Client) -> Vec<LinesMessage> {
    let lines = page.received.iter().filter_map(|message| match message {
        ServerMessage::Lines(lines) => Some(lines.clone()),
        _ => None,
    });
    lines.collect()
}

#[test]
fn lines_are_sent_at_most_twenty_times_a_second_and_the_last_is_not_lost() {
    let mut page = Client::new();
    engine_on(&mut page, 9, false);
    let (id, search) = page.take_search(Purpose::Analysis);
    assert_eq!(search.multi_pv, 5);
    page.now += std::time::Duration::from_secs(1);
    let mut sent = Vec::new();
    for n in 0..1000 {
        page.now += std::time::Duration::from_millis(1);
        if page.timer.is_some_and(|at| at <= page.now) {
            page.timer = None;
            page.input(Input::Timer);
            sent.extend(sent_lines(&page));
        }
        let lines = lines(&Position::INITIAL, n, &[(30 + n, "e2e4 e7e5"), (20, "d2d4")]);
        page.input(Input::Update(id, Update::Lines(lines)));
        sent.extend(sent_lines(&page));
    }
    assert!((10..=21).contains(&sent.len()), "{}", sent.len());
    page.wait(100);
    sent.extend(sent_lines(&page));
    let last = sent.last().unwrap();
    assert_eq!((last.depth, last.lines[0].score, last.done), (999, ScoreMessage::Cp(1029), false));
    assert_eq!(last.lines[0].san, ["e4", "e5"]);
    assert_eq!(last.lines[1].wdl.iter().sum::<u32>(), 1000);
    let end = lines(&Position::INITIAL, 1001, &[(5, "e2e4")]);
    page.input(Input::Update(id, Update::Found { best: None, lines: end }));
    assert!(sent_lines(&page)[0].done);
    assert!(page.jobs.is_empty(), "a search that has ended is not repeated");
}

#[test]
fn the_engine_follows_the_position_and_late_lines_are_dropped() {
    let mut page = Client::new();
    engine_on(&mut page, 1, false);
    page.moves("e2e4");
    page.moves("e7e5");
    // One search at a time: the next starts after the answer of the stopped one.
    let (first, _) = page.take_search(Purpose::Analysis);
    assert!(page.jobs.is_empty());
    page.input(Input::Update(first, Update::Lines(lines(&Position::INITIAL, 9, &[(1, "d2d4")]))));
    assert!(page.received.is_empty());
    page.input(Input::Update(first, Update::Found { best: None, lines: Lines::default() }));
    assert!(page.received.is_empty());
    let (second, search) = page.take_search(Purpose::Analysis);
    assert_eq!(search.game.moves().len(), 2);
    let found = lines(search.game.position(), 3, &[(-40, "g1f3")]);
    page.input(Input::Update(second, Update::Found { best: None, lines: found }));
    assert_eq!(sent_lines(&page)[0].node, page.node());
    // Black to move: scores are White's all the same.
    page.moves("g1f3");
    let (third, search) = page.take_search(Purpose::Analysis);
    let found = lines(search.game.position(), 3, &[(-40, "b8c6")]);
    page.input(Input::Update(third, Update::Found { best: None, lines: found }));
    assert_eq!(sent_lines(&page)[0].lines[0].score, ScoreMessage::Cp(40));
    page.send(json!({ "type": "set_engine", "on": false, "multipv": 1, "threat": false }));
    page.moves("b8c6");
    assert!(page.jobs.is_empty());
}

#[test]
fn a_mate_on_the_board_has_no_lines_and_needs_no_search() {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1" }));
    engine_on(&mut page, 1, true);
    page.moves("f7g7");
    let sent = sent_lines(&page);
    assert_eq!((sent.len(), sent[0].lines.len(), sent[0].done), (1, 0, true));
}

#[test]
fn a_threat_is_the_best_move_after_a_null_move() {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": "1. e4 e5 2. Bc4 Nc6 3. Qh5 *" }));
    page.send(json!({ "type": "set_engine", "on": false, "multipv": 1, "threat": true }));
    page.send(json!({ "type": "go_to", "node": 5 }));
    let stale = page.take_search(Purpose::Check).0;
    page.input(Input::Update(stale, Update::Found { best: None, lines: Lines::default() }));
    let (id, search) = page.take_search(Purpose::Check);
    assert_eq!(search.game.position().turn(), chess::Color::White);
    let found = lines(search.game.position(), 9, &[(31_999, "h5f7")]);
    page.input(Input::Update(id, Update::Found { best: None, lines: found }));
    let san = "Qxf7#".to_owned();
    let score = ScoreMessage::Mate(1);
    let threat = ServerMessage::Threat { node: 5, uci: "h5f7".into(), san, score };
    assert_eq!(page.received, [threat]);
    assert!(page.jobs.is_empty());
}

fn model_messages(page: &Client) -> Vec<ModelMessage> {
    let messages = page.received.iter().filter_map(|message| match message {
        ServerMessage::Model(model) => Some(model.clone()),
        _ => None,
    });
    messages.collect()
}

#[test]
fn moves_that_are_hard_to_find_and_traps_are_marked() {
    // White mates by the queen's sacrifice; people take the rook.
    let fen = "r5k1/5ppp/8/8/8/8/5PPP/r2QR1K1 w - - 0 1";
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": fen }));
    page.send(json!({ "type": "set_model", "on": true }));
    let position: Position = fen.parse().unwrap();
    let find = |uci: &str| position.parse_uci(uci).unwrap();
    let job = page.take_job(|work| matches!(work, Work::Predict { rating: None, .. }));
    let odds = [("d1a1", 0.8), ("h2h3", 0.15), ("d1d8", 0.04), ("e1e8", 0.01)];
    let prediction = PositionPrediction {
        position,
        moves: odds.iter().map(|&(uci, p)| (find(uci), p)).collect(),
        wdl: [0.5, 0.3, 0.2],
    };
    page.input(Input::Update(job.id, Update::Prediction(prediction)));
    let first = &model_messages(&page)[0];
    assert!(first.moves.iter().all(|m| m.loss.is_none() && m.kind.is_none()));
    assert_eq!(first.wdl, [500, 300, 200]);
    // First all moves are searched, then the likely ones.
    let (id, search) = page.take_search(Purpose::Check);
    assert!(search.limits.moves.is_empty());
    let found = lines(&position, 9, &[(900, "d1d8"), (900, "e1e8"), (-900, "h2h3")]);
    page.input(Input::Update(id, Update::Found { best: None, lines: found }));
    let (id, search) = page.take_search(Purpose::Check);
    assert_eq!(search.limits.moves, [find("d1a1")]);
    let found = lines(&position, 9, &[(0, "d1a1")]);
    page.input(Input::Update(id, Update::Found { best: None, lines: found }));
    let last = model_messages(&page).pop().unwrap();
    let kinds: Vec<Option<MoveKind>> = last.moves.iter().map(|m| m.kind).collect();
    use MoveKind::{Hard, Trap};
    assert_eq!(kinds, [Some(Trap), Some(Trap), Some(Hard), Some(Hard)]);
    assert!(page.jobs.is_empty());
}

#[test]
fn people_are_predicted_by_their_rating_and_with_the_moves_so_far() {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": "1. e4 e5 2. Nf3 *" }));
    page.send(json!({ "type": "go_to", "node": 3 }));
    page.send(json!({ "type": "set_model", "on": true, "rating": 1200 }));
    let asked = |page: &Client| match page.jobs.as_slice() {
        [Job { id, work: Work::Predict { game, rating } }] => (*id, game.clone(), *rating),
        other => panic!("{other:?}"),
    };
    let (stale, game, rating) = asked(&page);
    assert_eq!((game.moves().len(), rating), (3, Some(1200)));
    // Another rating is another prediction; what was under way is not shown.
    page.send(json!({ "type": "set_model", "on": true, "rating": 2400 }));
    let moves = game.position().legal_moves().into_iter().map(|m| (m, 0.03)).collect();
    let (position, wdl) = (*game.position(), [0.3, 0.4, 0.3]);
    let prediction = PositionPrediction { position, moves, wdl };
    page.take_job(|_| true);
    page.input(Input::Update(stale, Update::Prediction(prediction.clone())));
    assert!(model_messages(&page).is_empty());
    let (id, game, rating) = asked(&page);
    assert_eq!((game.moves().len(), rating), (3, Some(2400)));
    page.take_job(|_| true);
    page.input(Input::Update(id, Update::Prediction(prediction)));
    assert_eq!(model_messages(&page).len(), 1);
    page.send(json!({ "type": "set_model", "on": true, "rating": 2400 }));
    assert!(!page.jobs.iter().any(|job| matches!(job.work, Work::Predict { .. })));
}

#[test]
fn attention_weights_come_in_per_mille() {
    let mut page = Client::new();
    page.send(json!({ "type": "get_attention", "layer": 1, "head": 0 }));
    let job = page.take_job(|work| matches!(work, Work::Attention { layer: 1, head: 0, .. }));
    page.input(Input::Update(job.id, Update::Attention(vec![0.25; 4096])));
    match page.received.as_slice() {
        [ServerMessage::Attention(message)] => {
            assert_eq!((message.weights.len(), message.weights[0]), (4096, 250));
        }
        other => panic!("{other:?}"),
    }
    assert!(page.jobs.is_empty());
    page.refused(json!({ "type": "get_attention", "layer": 2, "head": 0 }));
}

/// Loads a game and analyses it with the engine itself, to a small depth.
fn analysed(text: &str) -> Client {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": text }));
    page.send(json!({ "type": "analyse_game", "seconds": 0.1 }));
    assert!(page.refused(json!({ "type": "analyse_game", "seconds": 0.1 })).contains("already"));
    let job = page.take_job(|work| matches!(work, Work::AnalyseGame { .. }));
    let Work::AnalyseGame { tree, .. } = job.work else { unreachable!() };
    page.input(Input::Update(job.id, Update::Progress { done: 2, total: 6 }));
    assert_eq!(page.received, [ServerMessage::Progress { done: 2, total: 6 }]);
    let mut engine = AnalysisEngine::new(Engine::new(1).unwrap());
    let limits = Limits { depth: Some(4), ..Limits::default() };
    let analysis = GameAnalysis::run(tree, &mut engine, &limits, || ()).unwrap();
    page.input(Input::Update(job.id, Update::Analysed(Box::new(analysis))));
    page
}

fn report_of(page: &Client) -> Option<ReportMessage> {
    page.received.iter().find_map(|message| match message {
        ServerMessage::Report(report) => Some(report.clone()),
        _ => None,
    })
}

#[test]
fn a_report_is_kept_across_a_reload() {
    let mut page = analysed("[White \"W\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0");
    let report = report_of(&page).unwrap();
    let (game, pgn) = (page.game.clone().unwrap(), page.pgn());
    let saved = |pgn: &str| json!({ "pgn": pgn, "path": ["e2e4"], "play": null, "paco": null, "report": report.saved });
    let mut again = Client::new();
    again.send(json!({ "type": "hello", "protocol": 1, "saved": saved(&pgn) }));
    let restored = report_of(&again).unwrap();
    assert_eq!(restored.saved, report.saved);
    assert_eq!((&restored.white, &restored.black), (&report.white, &report.black));
    // Reading the text again renumbers the nodes.
    let points = |report: &ReportMessage| -> Vec<_> {
        report.graph.iter().map(|point| (point.score, point.expectation, point.mark)).collect()
    };
    assert_eq!(points(&restored), points(&report));
    let judged = |game: &GameMessage| -> Vec<_> {
        let of = |node: &TreeNode| {
            (
                node.san.clone(),
                node.score,
                node.mark,
                node.loss,
                node.better.clone(),
                node.refutation.clone(),
            )
        };
        game.nodes.iter().map(of).collect()
    };
    assert_eq!(judged(again.game.as_ref().unwrap()), judged(&game));
    again.send(json!({ "type": "learn", "color": "black" }));
    // A report of another game is ignored.
    let mut other = Client::new();
    other.send(json!({ "type": "hello", "protocol": 1, "saved": saved("1. e4 e5 2. Nf3 *") }));
    assert_eq!(report_of(&other), None);
    assert!(other.refused(json!({ "type": "learn", "color": "black" })).contains("first"));
}

#[test]
fn a_report_has_the_marks_the_accuracy_and_the_refutations() {
    let mut page = analysed("[White \"W\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0");
    let report = report_of(&page).unwrap();
    assert_eq!((report.white.name.as_str(), report.black.name.as_str()), ("W", "Black"));
    assert_eq!((report.graph.len(), report.complete, report.white.moves), (6, true, 3));
    assert_eq!(report.black.marks[2], 1);
    assert!(report.black.accuracy < 60.0 && report.white.accuracy > report.black.accuracy);
    assert!(
        report.graph[4].expectation == 1.0 && report.graph[4].mark == Some(JudgementName::Blunder)
    );
    let nodes = page.game.as_ref().unwrap().nodes.clone();
    let blunder = nodes.iter().find(|node| node.san.as_deref() == Some("Ke7")).unwrap();
    assert_eq!(
        (blunder.mark, blunder.score),
        (Some(JudgementName::Blunder), Some(ScoreMessage::Mate(1)))
    );
    assert_eq!(blunder.refutation.as_ref().unwrap().san, ["Qxe5#"]);
    assert!(blunder.loss.unwrap() > 0.2 && blunder.better.is_some());
    assert!(page.pgn().contains("Ke7 $4"));
}

#[test]
fn a_stopped_analysis_shows_its_partial_result_and_a_closed_game_none() {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": "1. e4 e5 *" }));
    page.send(json!({ "type": "analyse_game", "seconds": 0.1 }));
    page.send(json!({ "type": "stop_analysis" }));
    let job = page.take_job(|work| matches!(work, Work::AnalyseGame { .. }));
    let Work::AnalyseGame { tree, .. } = job.work else { unreachable!() };
    let (start, moves) = (0, Vec::new());
    let analysis = GameAnalysis { tree, start, moves, stopped: true, problem: None };
    page.input(Input::Update(job.id, Update::Analysed(Box::new(analysis))));
    let incomplete =
        |message: &ServerMessage| matches!(message, ServerMessage::Report(r) if !r.complete);
    assert!(page.received.iter().any(incomplete));
    page.send(json!({ "type": "analyse_game", "seconds": 0.1 }));
    page.send(json!({ "type": "load", "text": "1. d4 *" }));
    let job = page.take_job(|work| matches!(work, Work::AnalyseGame { .. }));
    page.input(Input::Update(job.id, Update::Progress { done: 1, total: 3 }));
    let Work::AnalyseGame { tree, .. } = job.work else { unreachable!() };
    let (start, moves) = (0, Vec::new());
    let analysis = GameAnalysis { tree, start, moves, stopped: true, problem: None };
    page.input(Input::Update(job.id, Update::Analysed(Box::new(analysis))));
    assert!(page.received.is_empty());
    page.refused(json!({ "type": "learn", "color": "white" }));
    for seconds in [0.0, -1.0, 1e9] {
        page.refused(json!({ "type": "analyse_game", "seconds": seconds }));
    }
}

fn learn(page: &Client) -> LearnMessage {
    let message = page.received.iter().find_map(|message| match message {
        ServerMessage::Learn(learn) => Some(learn.clone()),
        _ => None,
    });
    message.unwrap_or_else(|| panic!("{:?}", page.received))
}

#[test]
fn mistakes_are_learned_from_by_finding_a_better_move() {
    let mut page = analysed("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0");
    engine_on(&mut page, 1, false);
    page.send(json!({ "type": "learn", "color": "black" }));
    let shown = page.take_search(Purpose::Analysis).0;
    page.input(Input::Update(shown, Update::Found { best: None, lines: Lines::default() }));
    assert!(page.jobs.is_empty(), "the engine does not reveal the answer");
    page.send(json!({ "type": "learn_next" }));
    page.send(json!({ "type": "learn", "color": "black" }));
    let exercise = learn(&page);
    assert_eq!((exercise.state, exercise.total), (LearnState::Find, 1));
    assert_eq!((exercise.played.as_deref(), exercise.best), (Some("Ke7"), None));
    page.send(json!({ "type": "go_to", "node": exercise.node }));
    page.refused(json!({ "type": "learn_try", "uci": "e8e6" }));
    page.send(json!({ "type": "learn_try", "uci": "e8e7" }));
    assert_eq!(learn(&page).state, LearnState::Wrong);
    let game = Game::parse("startpos moves e2e4 e7e5 d1h5").unwrap();
    // Try all others: each is judged by a search of it and the best.
    let mut judged = 0;
    for (uci, score, state) in [("g7g6", -500, LearnState::Wrong), ("f8d6", -20, LearnState::Right)]
    {
        page.send(json!({ "type": "learn_try", "uci": uci }));
        if learn(&page).state == LearnState::Right {
            // It is the engine's own move.
            page.send(json!({ "type": "learn", "color": "black" }));
            continue;
        }
        judged += 1;
        assert_eq!(learn(&page).state, LearnState::Thinking);
        let (id, search) = page.take_search(Purpose::Check);
        let [best, tried] = search.limits.moves[..] else { panic!("{search:?}") };
        assert_eq!(tried, game.position().parse_uci(uci).unwrap());
        let line = |m, score| ScoredLine { score, moves: vec![m] };
        let lines = vec![line(best, 0), line(tried, score)];
        let lines = Lines { depth: 8, lines, ..Lines::default() };
        page.input(Input::Update(id, Update::Found { best: None, lines }));
        assert_eq!(learn(&page).state, state);
    }
    assert!(judged >= 1);
    page.send(json!({ "type": "learn", "color": "black" }));
    page.send(json!({ "type": "learn_show" }));
    assert!(learn(&page).best.is_some() && learn(&page).right == 0);
    page.send(json!({ "type": "learn_next" }));
    assert_eq!((learn(&page).state, learn(&page).node), (LearnState::Done, None));
    page.send(json!({ "type": "learn_end" }));
    page.refused(json!({ "type": "learn_next" }));
    assert!(page.refused(json!({ "type": "learn", "color": "white" })).contains("no mistake"));
}
