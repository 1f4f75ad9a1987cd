//! Jobs from start to last update.

use std::sync::Arc;
use std::time::Duration;

use chess::{Game, Position};
use engine::search::Limits;
use tokio::time::timeout;

use super::mailbox::{Mailbox, TabEvent};
use super::{Context, Stop, Workers, paco};
use crate::job::{GameKind, Job, JobId, Purpose, Search, Update, Work};

/// Much longer than anything takes: a busy machine is no failure.
const LONG: Duration = Duration::from_secs(120);

fn search(number: u64, purpose: Purpose, limits: Limits) -> Job {
    let game = Game::new(Position::INITIAL);
    let search = Search { purpose, game, limits, multi_pv: 2, weakening: None };
    Job { id: id(number), work: Work::Search(search) }
}

fn id(number: u64) -> JobId {
    JobId { game: GameKind::Chess, number }
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

/// The next update of a job that satisfies the predicate; earlier ones are dropped.
async fn wait(mailbox: &Mailbox, number: u64, passes: impl Fn(&Update) -> bool) -> Update {
    let next = async {
        loop {
            if let TabEvent::Update(from, update) = mailbox.next().await
                && from == id(number)
                && passes(&update)
            {
                return update;
            }
        }
    };
    timeout(LONG, next).await.expect("an update")
}

fn is_lines(update: &Update) -> bool {
    matches!(update, Update::Lines(_))
}

fn is_found(update: &Update) -> bool {
    matches!(update, Update::Found { .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_ends_when_it_is_stopped_and_when_its_tab_is_closed() {
    let workers = Arc::new(Workers::new(1));
    let mailbox = Arc::default();
    let first = workers.start(1, search(1, Purpose::Analysis, infinite()), &mailbox);
    let Update::Lines(lines) = wait(&mailbox, 1, is_lines).await else { unreachable!() };
    assert!(!lines.lines.is_empty() && lines.lines.len() <= 2);
    first.stop();
    let Update::Found { best, lines } = wait(&mailbox, 1, is_found).await else { unreachable!() };
    assert!(best.is_some() && lines.nodes > 0);
    let second = workers.start(1, search(2, Purpose::Analysis, infinite()), &mailbox);
    wait(&mailbox, 2, is_lines).await;
    drop(second);
    wait(&mailbox, 2, is_found).await;
}

#[test]
fn a_search_ends_with_the_runtime() {
    let workers = Arc::new(Workers::new(1));
    let mailbox = Arc::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let handle = runtime.block_on(async {
        let handle = workers.start(1, search(1, Purpose::Analysis, infinite()), &mailbox);
        wait(&mailbox, 1, is_lines).await;
        handle
    });
    // The runtime waits for the thread of the search, which has not been stopped.
    drop(runtime);
    drop(handle);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_is_preempted_by_a_move_and_by_others_and_resumes() {
    let workers = Arc::new(Workers::new(1));
    let mailbox = Arc::default();
    let _first = workers.start(1, search(1, Purpose::Analysis, infinite()), &mailbox);
    wait(&mailbox, 1, is_lines).await;
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let _second = workers.start(2, search(2, Purpose::Play, limits), &mailbox);
    wait(&mailbox, 2, is_found).await;
    let _third = workers.start(3, search(3, Purpose::Analysis, infinite()), &mailbox);
    wait(&mailbox, 3, is_lines).await;
    wait(&mailbox, 1, is_lines).await;
    wait(&mailbox, 3, is_lines).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_search_is_reported_and_can_be_stopped() {
    let workers = Arc::new(Workers::new(1));
    let mailbox = Arc::default();
    let permit = workers.permits.acquire(true).await;
    let job = workers.start(1, search(1, Purpose::Analysis, infinite()), &mailbox);
    let event = timeout(LONG, mailbox.next()).await.expect("an event");
    assert!(matches!(event, TabEvent::Waiting), "{event:?}");
    job.stop();
    let Update::Found { best, .. } = wait(&mailbox, 1, is_found).await else { unreachable!() };
    assert_eq!(best, None);
    drop(permit);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_analysed_and_can_be_stopped() {
    let workers = Arc::new(Workers::new(1));
    let mailbox = Arc::default();
    let tree = chess::pgn::read_trees(b"1. f3 e5 2. g4 Qh4# 0-1").remove(0).expect("a game");
    let limits = Limits { depth: Some(4), ..Limits::default() };
    let work = Work::AnalyseGame { tree: tree.clone(), limits };
    let job = workers.start(1, Job { id: id(1), work }, &mailbox);
    let is_end = |update: &Update| matches!(update, Update::Analysed(_));
    let Update::Analysed(analysis) = wait(&mailbox, 1, is_end).await else { unreachable!() };
    assert!(!analysis.stopped && analysis.moves.len() == 4);
    drop(job);
    let limits = Limits { move_time: Some(LONG), ..Limits::default() };
    let work = Work::AnalyseGame { tree, limits };
    let job = workers.start(1, Job { id: id(2), work }, &mailbox);
    job.stop();
    let Update::Analysed(analysis) = wait(&mailbox, 2, is_end).await else { unreachable!() };
    assert!(analysis.stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_answers() {
    let workers = Arc::new(Workers::new(1));
    let mailbox = Arc::default();
    let position = Position::INITIAL;
    let mut knights_out_and_back = Game::default();
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        let m = knights_out_and_back.position().parse_uci(uci).expect("a move");
        knights_out_and_back.play(m).expect("a legal move");
    }
    let mut predictions = Vec::new();
    for (number, game, rating) in [
        (1, Game::default(), None),
        (2, Game::default(), Some(1000)),
        (3, knights_out_and_back, None),
        (4, Game::default(), None),
    ] {
        let work = Work::Predict { game, rating };
        let _job = workers.start(1, Job { id: id(number), work }, &mailbox);
        let Update::Prediction(prediction) = wait(&mailbox, number, |_| true).await else {
            panic!()
        };
        assert_eq!(prediction.moves.len(), 20);
        predictions.push(prediction.moves);
    }
    let weights = pra::embedded().expect("a model");
    assert_eq!(predictions[0] != predictions[1], weights.config().ratings);
    assert_eq!(predictions[0] != predictions[2], weights.config().history);
    assert_eq!(predictions[0], predictions[3]);
    for (number, layer, weights) in [(5, 0, 4096), (6, 99, 0)] {
        let work = Work::Attention { position, layer, head: 1 };
        let _job = workers.start(1, Job { id: id(number), work }, &mailbox);
        let Update::Attention(map) = wait(&mailbox, number, |_| true).await else { panic!() };
        assert_eq!(map.len(), weights);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_reported_and_releases_its_permit() {
    let workers = Arc::new(Workers::new(1));
    let context =
        Context { workers: Arc::clone(&workers), mailbox: Arc::default(), tab: 1, id: id(1) };
    let (_handle, stop) = tokio::sync::watch::channel(false);
    let mut stop = Stop(stop);
    for _ in 0..3 {
        let answer = paco::compute(&context, &mut stop, |_| panic!("a bug, for this test")).await;
        assert!(matches!(answer, Update::Failed(_)), "{answer:?}");
    }
    drop(timeout(LONG, workers.permits.acquire(false)).await.expect("a free core"));
}
