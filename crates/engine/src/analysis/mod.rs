//! Game analysis: every position evaluated, moves that lose expected points marked, the PGN annotated.
//!
//! ```
//! use tabiya_engine::analysis::{AnalysisEngine, GameAnalysis, annotate};
//! use tabiya_engine::chess::pgn::read_trees;
//! use tabiya_engine::search::{Engine, Limits};
//!
//! let tree = read_trees(b"1. e4 e5 2. Ke2 *").remove(0)?;
//! let mut engine = AnalysisEngine::new(Engine::new(1)?);
//! let limits = Limits { depth: Some(2), ..Limits::default() };
//! let analysis = GameAnalysis::run(tree, &mut engine, &limits, || ())?;
//! assert_eq!(analysis.moves.len(), 3);
//! assert!(annotate(&analysis)?.to_string().contains("[%eval"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `worker` | an engine that searches on its own thread and can be stopped |
//! | `judge` | expected points lost by a move, and its judgement |
//! | `accuracy` | the accuracy of a player |
//! | `results` | search results by depth, the interface of a searcher |
//! | `game` | a whole game, move by move; suspects are searched twice |
//! | `annotate` | the game tree with evaluations, judgements and better variations |
//! | `graph` | the evaluation graph as SVG |
//! | `table` | the move table of a game, and its JSON |
//! | `pv_text` | principal variations as rows, JSON and a picture |
//! | `notation` | scores, variations and titles as text, from White's point of view |

mod accuracy;
mod annotate;
mod game;
mod graph;
mod judge;
mod notation;
mod pv_text;
mod results;
mod table;
mod worker;

pub use accuracy::move_accuracy;
pub use annotate::annotate;
pub use game::{GameAnalysis, MoveAnalysis};
pub use graph::{GRAPH_TITLE_WIDTH, evaluation_graph};
pub use judge::{BLUNDER, DUBIOUS, Judgement, MISTAKE, loss};
pub use notation::{game_title, numbered_san, pawns, san_line, san_within, score_json};
pub use pv_text::{lines_json, lines_picture};
pub use results::{PositionSearch, SearchResults};
pub use table::GameTable;
pub use worker::{AnalysisEngine, AnalysisError, PvLine, StopHandle};
