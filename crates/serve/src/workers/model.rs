//! The human-like model, loaded once and shared: one prediction at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use chess::Position;
use pra::Transformer;
use pra::attention::AttentionMaps;
use pra::player::Player;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::job::{Update, Work};

/// The model. Loaded on first use.
#[derive(Clone, Default)]
pub struct Model(Arc<Mutex<Option<Loaded>>>);

struct Loaded {
    player: Player,
    /// Cache: the last position of an attention request, with all its attention weights.
    attention: Option<(Position, AttentionMaps)>,
}

impl Model {
    /// Runs [`Work::Predict`] or [`Work::Attention`].
    pub async fn run(&self, work: Work) -> Update {
        // First in, first out: the lock is fair.
        let mut loaded = Arc::clone(&self.0).lock_owned().await;
        let update = spawn_blocking(move || {
            let update = catch_unwind(AssertUnwindSafe(|| infer(&mut loaded, work)));
            update.unwrap_or_else(|_| {
                *loaded = None;
                failed("the model failed: this is a bug")
            })
        });
        update.await.unwrap_or_else(|_| failed("the inference was cancelled"))
    }
}

fn failed(text: &str) -> Update {
    Update::Failed(text.to_owned())
}

fn infer(slot: &mut Option<Loaded>, work: Work) -> Update {
    if slot.is_none() {
        match pra::embedded() {
            Ok(weights) => {
                *slot = Some(Loaded { player: Player::new(weights, 1), attention: None })
            }
            Err(error) => return Update::Failed(format!("the model cannot be loaded: {error}")),
        }
    }
    let Some(Loaded { player, attention }) = slot else { return failed("there is no model") };
    match work {
        Work::Predict { game, rating } => {
            player.ratings = [rating; 2];
            Update::Prediction(player.predict_game(&game))
        }
        Work::Attention { position, layer, head } => {
            if attention.as_ref().is_none_or(|(known, _)| *known != position) {
                let weights = player.weights();
                let mut model = Transformer::new(weights.config(), 1);
                let maps = AttentionMaps::new(&mut model, weights, &position);
                *attention = Some((position, maps));
            }
            let map = attention.as_ref().map(|(_, maps)| maps.map(layer, head).to_vec());
            Update::Attention(map.unwrap_or_default())
        }
        _ => failed("not a job for the model"),
    }
}
