//! The open game: its tree, and the judged moves.

use std::collections::BTreeMap;

use chess::pgn::{self, Annotation, GameTree, Node, NodeId, Variant, annotations, split_commands};
use chess::{CastlingStyle, Move, Position};
use engine::analysis::Judgement;
use engine::value::{Value, to_score};

use super::refusal::Refusal;
use crate::protocol::{
    Better, GameMessage, JudgementName, ScoreMessage, Shape, ShapeColor, TreeNode, Uci, VariantName,
};

/// The maximum number of nodes of a tree, removed ones included.
pub const MAX_NODES: usize = 20_000;
/// The memory limit of a tree, as the reader counts it.
pub const MAX_TREE_BYTES: usize = MAX_NODES * (size_of::<Node>() + 32);
/// The maximum length of a sent line.
pub const MAX_LINE: usize = 30;

/// The analysis of a move.
#[derive(Clone, Debug)]
pub struct JudgedMove {
    /// After the move, from White's point of view.
    pub score: Value,
    pub judgement: Option<Judgement>,
    pub loss: f64,
    pub better: Option<Better>,
    pub refutation: Option<Better>,
}

/// The open game.
pub struct Document {
    pub number: u64,
    pub tree: GameTree,
    /// The parse error of the text, if a part is missing.
    pub problem: Option<String>,
    pub judged_moves: BTreeMap<NodeId, JudgedMove>,
}

impl Document {
    pub fn new(number: u64, tree: GameTree, problem: Option<String>) -> Self {
        Self { number, tree, problem, judged_moves: BTreeMap::new() }
    }

    /// The node of this number, if it is in the tree.
    pub fn find(&self, number: u32) -> Result<NodeId, Refusal> {
        let id = NodeId::from_number(number);
        self.tree.path(id).map(|_| id).ok_or(Refusal::NoSuchNode)
    }

    /// The position after a node; nodes in use are in the tree.
    pub fn position(&self, id: NodeId) -> Position {
        *self.tree.node(id).unwrap_or(self.tree.root()).position()
    }

    /// The child with this move, which is added if it is missing.
    pub fn play(&mut self, parent: NodeId, m: Move) -> Result<(NodeId, bool), Refusal> {
        if let Some(child) = self.tree.child(parent, m) {
            return Ok((child, false));
        }
        if self.tree.node_count() >= MAX_NODES {
            return Err(Refusal::Full);
        }
        Ok((self.tree.add_move(parent, m)?, true))
    }

    /// The moves from the root to a node.
    pub fn line(&self, id: NodeId) -> Vec<Uci> {
        let path = self.tree.path(id).unwrap_or_default();
        path.iter().filter_map(|&id| self.tree.node(id)).map(node_uci).collect()
    }

    pub fn variant(&self) -> VariantName {
        let tag = self.tree.tag("Variant").and_then(|name| Variant::parse(name.as_bytes()));
        let is_chess960 = tag == Some(Variant::Chess960)
            || self.tree.root().position().has_chess960_castling_rights();
        if is_chess960 { VariantName::Chess960 } else { VariantName::Chess }
    }

    /// The whole tree, parents before their children and main lines first.
    pub fn message(&self) -> GameMessage {
        let mut nodes = Vec::new();
        let mut open = vec![NodeId::ROOT];
        while let Some(id) = open.pop() {
            let Some(node) = self.tree.node(id) else { continue };
            nodes.push(self.node_message(id, node));
            open.extend(node.children().iter().rev());
        }
        let tags = self.tree.tags().map(|(name, value)| (name.to_owned(), value.to_owned()));
        GameMessage {
            document: self.number,
            variant: self.variant(),
            start_fen: self.tree.root().position().fen(),
            tags: tags.collect(),
            result: self.tree.result.into(),
            nodes,
            problem: self.problem.clone(),
        }
    }

    fn node_message(&self, id: NodeId, node: &Node) -> TreeNode {
        let parent = node.parent().and_then(|id| self.tree.node(id));
        let (uci, san) = match parent {
            None => (None, None),
            Some(parent) => {
                let san =
                    node.played().map_or("--".into(), |m| parent.position().san(m).to_string());
                (Some(node_uci(node)), Some(san))
            }
        };
        let comments = || node.comments_before().iter().chain(node.comments());
        let texts: Vec<String> = comments().map(|comment| split_commands(comment).0).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|t| !t.is_empty()).collect();
        let commands = || comments().flat_map(|comment| annotations(comment.as_bytes()));
        let written = commands().filter_map(|command| match command {
            Annotation::Eval(eval) => Some(ScoreMessage::from(eval.score)),
            _ => None,
        });
        let shapes = commands().flat_map(|command| match command {
            Annotation::Squares(list) | Annotation::Arrows(list) => list.map(shape).collect(),
            _ => Vec::new(),
        });
        let judged = self.judged_moves.get(&id);
        TreeNode {
            id: id.number(),
            parent: node.parent().map(NodeId::number),
            ply: ply(node.position()),
            uci,
            san,
            children: node.children().iter().map(|id| id.number()).collect(),
            comment: texts.join(" "),
            nags: node.nags().iter().map(|nag| nag.0).collect(),
            shapes: shapes.collect(),
            score: judged.map(|judged| white(judged.score)).or_else(|| written.last()),
            mark: judged.and_then(|judged| judged.judgement).map(JudgementName::from),
            loss: judged.map(|judged| judged.loss),
            better: judged.and_then(|judged| judged.better.clone()),
            refutation: judged.and_then(|judged| judged.refutation.clone()),
        }
    }
}

/// Plies since the first move of a game that began with move 1.
fn ply(position: &Position) -> usize {
    let moves = usize::from(position.fullmove_number()).saturating_sub(1);
    2 * moves + usize::from(position.turn().is_black())
}

/// A score from White's point of view as the protocol has it.
pub fn white(score: Value) -> ScoreMessage {
    to_score(score).into()
}

/// The move with castling as king takes rook.
pub fn uci(m: Move) -> Uci {
    m.uci(CastlingStyle::Chess960).to_string()
}

/// The move of a node; a null move is `0000`.
pub fn node_uci(node: &Node) -> Uci {
    node.played().map_or_else(|| "0000".to_owned(), uci)
}

/// The legal prefix of a line in both notations, truncated.
pub fn notations(position: &Position, moves: &[Move]) -> (Vec<Uci>, Vec<String>) {
    let moves = &moves[..moves.len().min(MAX_LINE)];
    let sans: Vec<String> = position.san_line(moves).iter().map(|san| san.to_string()).collect();
    (moves.iter().take(sans.len()).map(|&m| uci(m)).collect(), sans)
}

fn shape(shape: pgn::Shape) -> Shape {
    let color = match shape.color {
        pgn::ShapeColor::Green => ShapeColor::Green,
        pgn::ShapeColor::Red => ShapeColor::Red,
        pgn::ShapeColor::Yellow => ShapeColor::Yellow,
        pgn::ShapeColor::Blue => ShapeColor::Blue,
    };
    let to = (shape.to != shape.from).then(|| shape.to.into());
    Shape { color, from: shape.from.into(), to }
}

impl From<JudgementName> for Judgement {
    fn from(name: JudgementName) -> Self {
        match name {
            JudgementName::Dubious => Self::Dubious,
            JudgementName::Mistake => Self::Mistake,
            JudgementName::Blunder => Self::Blunder,
        }
    }
}

impl From<Judgement> for JudgementName {
    fn from(judgement: Judgement) -> Self {
        match judgement {
            Judgement::Dubious => Self::Dubious,
            Judgement::Mistake => Self::Mistake,
            Judgement::Blunder => Self::Blunder,
        }
    }
}
