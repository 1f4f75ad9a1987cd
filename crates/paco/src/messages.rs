//! Sentences about a game, for people.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use chess::Color;

use crate::{Answer, Outcome, Position, SAKO_NODES};

impl Outcome {
    /// The end of the game in a sentence.
    pub fn sentence(self) -> String {
        match self {
            Self::PacoVictory(winner) => {
                format!("{winner} wins by Paco: it has united with {}'s king.", !winner)
            }
            Self::TimeoutVictory(winner) => format!("{winner} wins on time."),
            Self::NoProgressDraw => "Draw: no progress for 100 turns.".to_owned(),
            Self::RepetitionDraw => "Draw by repetition of the position.".to_owned(),
        }
    }
}

/// `yes`, `no` or `unknown`.
impl core::fmt::Display for Answer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        })
    }
}

impl Position {
    /// Warnings after a finished turn, for the player `you` or a spectator: who is in Ŝako, and whether
    /// `you` have left your own king in it.
    pub fn sako_warnings(&self, you: Option<Color>) -> Vec<String> {
        let next = self.player();
        let mut warnings = Vec::new();
        if self.sako_against(SAKO_NODES) == Answer::Yes {
            warnings.push(match you {
                Some(color) if color == next => {
                    format!("You are in Ŝako: {} threatens to unite with your king.", !next)
                }
                _ => format!("{next} is in Ŝako."),
            });
        }
        if you == Some(!next) && self.sako(SAKO_NODES) == Answer::Yes {
            warnings
                .push(format!("You have left yourself in Ŝako: {next} can unite with your king."));
        }
        warnings
    }

    /// Whether the player can unite with the enemy king this turn, and whether the opponent threatens to.
    pub fn sako_sentences(&self) -> [String; 2] {
        let (me, opponent) = (self.player(), !self.player());
        let own = match self.sako(SAKO_NODES) {
            Answer::Yes => "can",
            Answer::No => "cannot",
            Answer::Unknown => "perhaps can",
        };
        let other = match self.sako_against(SAKO_NODES) {
            Answer::Yes => "threatens",
            Answer::No => "does not threaten",
            Answer::Unknown => "perhaps threatens",
        };
        [
            format!("You {own} unite with {opponent}'s king this turn."),
            format!("{opponent} {other} to unite with {me}'s king."),
        ]
    }
}
