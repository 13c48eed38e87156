//! One table as the service works with it: what never changes, its seats, its game.
//!
//! **Invariant:** a table is never changed, only followed by the next one, so that whoever holds
//! one holds one version. Its game is asked for views and events by viewer and nothing else.

mod bot_turn;
mod order;
mod record;
mod seats;
mod secrets;
mod step;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handfoot_engine::Game;
use handfoot_protocol::state::v1::RequestRecord;
use handfoot_protocol::v1;
use handfoot_rules::Rules;
use handfoot_store::{ListedState, Mark, Millis, TableId, Tenant, Version};
use handfoot_view::{Phase, Seat, TableOptions};

pub(crate) use bot_turn::{BotTurn, Line, queue_of};
pub(crate) use order::SeatOrder;
pub(crate) use record::{RULES_REVISION, Unreadable, number_of, timestamp};
pub(crate) use seats::{Owner, PlayerIds, SeatState};
pub(crate) use secrets::Secrets;
pub use secrets::{MachineSecrets, SecretSource};
pub(crate) use step::{Step, is_linked};

/// What never changes of a table.
#[derive(Debug)]
pub(crate) struct Fixed {
    pub(crate) id: TableId,
    pub(crate) tenant: Tenant,
    pub(crate) display_name: String,
    pub(crate) preset_id: String,
    pub(crate) rules: Arc<Rules>,
    /// The rules as they are sent.
    pub(crate) rules_message: v1::RulesDraft,
    pub(crate) options: TableOptions,
    pub(crate) bot_pace: Duration,
    /// How long bots leave a round's first act to numbers lifted; none: the usual time.
    pub(crate) lift_wait: Option<Duration>,
    pub(crate) seat_order: SeatOrder,
    pub(crate) first_dealer: Option<Seat>,
    pub(crate) secrets: Secrets,
    pub(crate) seed_origin: v1::SeedOrigin,
    pub(crate) created_by: RequestRecord,
    /// All of this as the snapshot begins with it.
    pub(crate) bytes: Bytes,
}

/// Where a table stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Created, not started.
    Waiting,
    /// It is played.
    Playing,
    /// Its game is over.
    Finished,
    /// Cancelled before its game was over.
    Cancelled,
}

/// A table at one version.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) fixed: Arc<Fixed>,
    pub(crate) mark: Mark,
    /// When its last commit was.
    pub(crate) at: Millis,
    pub(crate) game_version: Version,
    pub(crate) stage: Stage,
    /// By seat.
    pub(crate) seats: Vec<SeatState>,
    pub(crate) created_at: Millis,
    pub(crate) started_at: Option<Millis>,
    pub(crate) ended_at: Option<Millis>,
    /// None before the start.
    pub(crate) game: Option<Game>,
}

impl Stage {
    pub(crate) const fn to_message(self) -> v1::TableState {
        match self {
            Stage::Waiting => v1::TableState::Waiting,
            Stage::Playing => v1::TableState::Playing,
            Stage::Finished => v1::TableState::Finished,
            Stage::Cancelled => v1::TableState::Cancelled,
        }
    }

    pub(crate) fn of_message(number: i32) -> Option<Stage> {
        match v1::TableState::try_from(number).ok()? {
            v1::TableState::Unspecified => None,
            v1::TableState::Waiting => Some(Stage::Waiting),
            v1::TableState::Playing => Some(Stage::Playing),
            v1::TableState::Finished => Some(Stage::Finished),
            v1::TableState::Cancelled => Some(Stage::Cancelled),
        }
    }

    /// Whether nothing happens any more.
    pub(crate) const fn is_closed(self) -> bool {
        match self {
            Stage::Waiting | Stage::Playing => false,
            Stage::Finished | Stage::Cancelled => true,
        }
    }
}

/// Tables with a seat that bots may take, as they are listed for workers.
pub(crate) const LISTED_OFFERED: ListedState = ListedState(5);

impl Table {
    /// The rules it is played by.
    pub(crate) fn rules(&self) -> &Arc<Rules> {
        &self.fixed.rules
    }

    /// The seat that is to act, while it is played.
    pub(crate) fn to_act(&self) -> Option<Seat> {
        match self.stage {
            Stage::Playing => self.game.as_ref().and_then(|game| game.public().to_act()),
            Stage::Waiting | Stage::Finished | Stage::Cancelled => None,
        }
    }

    /// A seat's state.
    pub(crate) fn seat(&self, seat: Seat) -> Option<&SeatState> {
        self.seats.get(seat.index())
    }

    /// The seats with their numbers.
    pub(crate) fn numbered_seats(&self) -> impl Iterator<Item = (u32, &SeatState)> {
        (1u32..).zip(&self.seats)
    }

    /// Under which state it is listed.
    pub(crate) fn listed_state(&self) -> ListedState {
        match self.stage {
            Stage::Waiting if self.seats.iter().any(SeatState::is_offered) => LISTED_OFFERED,
            Stage::Waiting => ListedState(1),
            Stage::Playing => ListedState(2),
            Stage::Finished => ListedState(3),
            Stage::Cancelled => ListedState(4),
        }
    }

    /// Whether the game that it has is over.
    pub(crate) fn is_game_over(&self) -> bool {
        match self.game.as_ref().map(|game| game.public().phase) {
            Some(Phase::GameOver { .. }) => true,
            Some(
                Phase::Draw { .. }
                | Phase::Play { .. }
                | Phase::AwaitAnswer { .. }
                | Phase::AwaitUndo { .. }
                | Phase::RoundOver { .. },
            )
            | None => false,
        }
    }

    /// Version and chain as they are sent.
    pub(crate) fn stamp(&self) -> v1::Stamp {
        v1::Stamp {
            version: self.mark.version.0,
            game_version: self.game_version.0,
            chain: self.mark.chain.0.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_and_messages_are_one_to_one() {
        for stage in [Stage::Waiting, Stage::Playing, Stage::Finished, Stage::Cancelled] {
            assert_eq!(Stage::of_message(stage.to_message() as i32), Some(stage));
        }
        assert_eq!(Stage::of_message(0), None);
        assert_eq!(Stage::of_message(99), None);
    }
}
