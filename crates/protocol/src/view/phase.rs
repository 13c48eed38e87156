//! What the game waits for, both ways.
//!
//! **Invariant:** every seat named is one of the table.

use handfoot_view::{Asked, Drew, Phase};

use crate::codec::{Codec, seat};
use crate::decode::{At, DecodeError, pairs};
use crate::score::round_end;
use crate::v1;
use v1::phase::Phase as Wire;

pairs! {
    asked / read_asked: Asked = Asked { NotYet = NotYet, Granted = Granted, Refused = Refused }
    drew / read_drew: Drew = Drew { Stock = Stock, Discards = Discards }
}

pub(super) fn encode(phase: Phase) -> v1::Phase {
    let phase = match phase {
        Phase::Draw { seat: of, asked: stage } => {
            Wire::Draw(v1::DrawPhase { seat: seat(of), asked: asked(stage) })
        }
        Phase::Play { seat: of, drew: how, asked: stage } => {
            Wire::Play(v1::PlayPhase { seat: seat(of), drew: drew(how), asked: asked(stage) })
        }
        Phase::AwaitAnswer { asker, answering, drew: how } => {
            Wire::AwaitAnswer(v1::AwaitAnswerPhase {
                asker: seat(asker),
                answering: seat(answering),
                drew: how.map_or(v1::Drew::Unspecified as i32, drew),
            })
        }
        Phase::AwaitUndo { asker, answering, acts, drew: how, asked: stage } => {
            Wire::AwaitUndo(v1::AwaitUndoPhase {
                asker: seat(asker),
                answering: seat(answering),
                acts: u32::from(acts),
                drew: drew(how),
                asked: asked(stage),
            })
        }
        Phase::RoundOver { how } => Wire::RoundOver(round_end(how)),
        Phase::GameOver { how } => Wire::GameOver(round_end(how)),
    };
    v1::Phase { phase: Some(phase) }
}

impl Codec<'_> {
    pub(super) fn read_phase(
        self,
        phase: Option<&v1::Phase>,
        at: At<'_>,
    ) -> Result<Phase, DecodeError> {
        match at.set(at.set(phase)?.phase.as_ref())? {
            Wire::Draw(phase) => {
                let at = at.field("draw");
                Ok(Phase::Draw {
                    seat: self.read_seat(phase.seat, at.field("seat"))?,
                    asked: read_asked(phase.asked, at.field("asked"))?,
                })
            }
            Wire::Play(phase) => {
                let at = at.field("play");
                Ok(Phase::Play {
                    seat: self.read_seat(phase.seat, at.field("seat"))?,
                    drew: read_drew(phase.drew, at.field("drew"))?,
                    asked: read_asked(phase.asked, at.field("asked"))?,
                })
            }
            Wire::AwaitAnswer(phase) => {
                let at = at.field("await_answer");
                let at_drew = at.field("drew");
                let drew = match at_drew.known::<v1::Drew>(phase.drew)? {
                    v1::Drew::Unspecified => None,
                    v1::Drew::Stock => Some(Drew::Stock),
                    v1::Drew::Discards => Some(Drew::Discards),
                };
                Ok(Phase::AwaitAnswer {
                    asker: self.read_seat(phase.asker, at.field("asker"))?,
                    answering: self.read_seat(phase.answering, at.field("answering"))?,
                    drew,
                })
            }
            Wire::AwaitUndo(phase) => {
                let at = at.field("await_undo");
                Ok(Phase::AwaitUndo {
                    asker: self.read_seat(phase.asker, at.field("asker"))?,
                    answering: self.read_seat(phase.answering, at.field("answering"))?,
                    acts: at.field("acts").number_from(phase.acts, 1, u8::MAX)?,
                    drew: read_drew(phase.drew, at.field("drew"))?,
                    asked: read_asked(phase.asked, at.field("asked"))?,
                })
            }
            Wire::RoundOver(end) => Ok(Phase::RoundOver {
                how: self.read_round_end(Some(end), at.field("round_over"))?,
            }),
            Wire::GameOver(end) => {
                Ok(Phase::GameOver { how: self.read_round_end(Some(end), at.field("game_over"))? })
            }
        }
    }
}
