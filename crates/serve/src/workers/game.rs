//! The analysis of a whole game. Each search acquires a permit, so that the cores are shared with other jobs.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use chess::Game;
use chess::pgn::GameTree;
use engine::analysis::{
    AnalysisEngine, AnalysisError, GameAnalysis, PositionSearch, SearchResults,
};
use engine::search::{Engine, Limits};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::engines::Owner;
use super::{Context, OnDrop, Stop};
use crate::job::Update;

/// Runs [`Work::AnalyseGame`](crate::job::Work::AnalyseGame).
pub async fn run(context: &Context, tree: GameTree, limits: Limits, stop: Stop) -> Update {
    let (context, runtime) = (context.clone(), Handle::current());
    let analysis = spawn_blocking(move || {
        let total = tree.main_line().count() + 1;
        let done = AtomicUsize::new(0);
        let owner = Owner { tab: context.tab, plays: false };
        let mut searcher = Searcher { context: &context, runtime, stop, owner };
        GameAnalysis::run(tree, &mut searcher, &limits, || {
            let done = done.fetch_add(1, Relaxed) + 1;
            context.report(Update::Progress { done, total });
        })
    });
    match analysis.await {
        Ok(Ok(analysis)) => Update::Analysed(Box::new(analysis)),
        Ok(Err(error)) => Update::Failed(error.to_string()),
        Err(_) => Update::Failed("a bug ended the analysis".to_owned()),
    }
}

struct Searcher<'a> {
    context: &'a Context,
    runtime: Handle,
    stop: Stop,
    owner: Owner,
}

impl Searcher<'_> {
    fn engine(&self) -> Result<Engine, AnalysisError> {
        let no_memory = || AnalysisError::Thread(std::io::ErrorKind::OutOfMemory.into());
        self.context.workers.engines.take(self.owner).ok_or_else(no_memory)
    }
}

impl PositionSearch for Searcher<'_> {
    fn new_game(&mut self) {
        if let Ok(mut engine) = self.engine() {
            engine.new_game();
            self.context.workers.engines.put(self.owner, engine);
        }
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
    ) -> Result<Option<SearchResults>, AnalysisError> {
        let permit = self.runtime.block_on(self.context.permit(false, &mut self.stop));
        let Some(_permit) = permit else { return Ok(None) };
        let mut engine = AnalysisEngine::new(self.engine()?);
        let handle = engine.stop_handle();
        let mut stop = self.stop.clone();
        let watch = self.runtime.spawn(async move {
            let _end = OnDrop(|| handle.stop());
            stop.stopped().await;
        });
        let results = engine.search(game, limits);
        watch.abort();
        if !matches!(results, Err(AnalysisError::Panicked)) {
            self.context.workers.engines.put(self.owner, engine.into_engine());
        }
        results
    }
}
