//! Seats of a table: who they belong to and who plays them.
//!
//! **Invariant:** no seat is given away by a play request; only the platform, and a worker that
//! takes an offered seat, change one.

use std::sync::Arc;

use handfoot_protocol::state::v1::SeatRecord;
use handfoot_protocol::v1;
use handfoot_store::Version;

/// Who a seat belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Nobody: it is open.
    Nobody,
    /// A person, by the platform's own id.
    Person { player_id: String, display_name: String },
    /// A bot.
    Bot { level: String },
}

/// What changes of a seat only when it changes hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) owner: Owner,
    /// Levels of bots that may take it while it is open.
    pub(crate) bot_levels: Vec<String>,
    /// Tokens of older generations are no longer good.
    pub(crate) token_generation: u32,
}

/// A seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeatState {
    pub(crate) holder: Arc<Holder>,
    /// The version at which it last ended a turn.
    pub(crate) turn_ended: Version,
}

/// Whether the platform's id of a person is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayerIds {
    /// It is.
    Shown,
    /// It is not.
    Hidden,
}

impl SeatState {
    /// A seat that nobody has.
    pub(crate) fn open() -> SeatState {
        let holder = Holder { owner: Owner::Nobody, bot_levels: Vec::new(), token_generation: 0 };
        SeatState { holder: Arc::new(holder), turn_ended: Version(0) }
    }

    /// The seat with another owner, or other bots that may take it.
    pub(crate) fn given_to(&self, owner: Owner, bot_levels: Vec<String>) -> SeatState {
        let token_generation = match self.holder.owner == owner {
            true => self.holder.token_generation,
            // Tokens of whoever had it end.
            false => self.holder.token_generation + 1,
        };
        let holder = Arc::new(Holder { owner, bot_levels, token_generation });
        SeatState { holder, turn_ended: self.turn_ended }
    }

    /// The seat with older tokens ended.
    pub(crate) fn with_tokens_ended(&self) -> SeatState {
        let mut holder = Holder::clone(&self.holder);
        holder.token_generation += 1;
        SeatState { holder: Arc::new(holder), turn_ended: self.turn_ended }
    }

    /// Who plays it now.
    pub(crate) fn controller(&self) -> v1::Controller {
        match self.holder.owner {
            Owner::Nobody => v1::Controller::Nobody,
            Owner::Person { .. } => v1::Controller::Person,
            Owner::Bot { .. } => v1::Controller::Bot,
        }
    }

    /// The level of the bot that plays it, if one does.
    pub(crate) fn bot_level(&self) -> Option<&str> {
        match &self.holder.owner {
            Owner::Nobody | Owner::Person { .. } => None,
            Owner::Bot { level } => Some(level),
        }
    }

    /// Whether bots may take it.
    pub(crate) fn is_offered(&self) -> bool {
        self.holder.owner == Owner::Nobody && !self.holder.bot_levels.is_empty()
    }

    pub(crate) fn to_message(&self, number: u32, ids: PlayerIds) -> v1::SeatPlayer {
        let mut owner = self.owner_message();
        if ids == PlayerIds::Hidden {
            hide_player_id(owner.as_mut());
        }
        v1::SeatPlayer { seat: number, owner, controller: self.controller() as i32 }
    }

    fn owner_message(&self) -> Option<v1::SeatOwner> {
        let owner = match &self.holder.owner {
            Owner::Nobody => return None,
            Owner::Person { player_id, display_name } => {
                v1::seat_owner::Owner::Person(v1::Person {
                    player_id: player_id.clone(),
                    display_name: display_name.clone(),
                })
            }
            Owner::Bot { level } => v1::seat_owner::Owner::Bot(v1::Bot { level: level.clone() }),
        };
        Some(v1::SeatOwner { owner: Some(owner) })
    }

    pub(crate) fn to_record(&self, number: u32) -> SeatRecord {
        SeatRecord {
            seat: number,
            owner: self.owner_message(),
            controller: self.controller() as i32,
            bot_levels: self.holder.bot_levels.clone(),
            token_generation: self.holder.token_generation,
            turn_ended_version: self.turn_ended.0,
        }
    }

    pub(crate) fn of_record(record: SeatRecord) -> SeatState {
        let owner = match record.owner.and_then(|owner| owner.owner) {
            None => Owner::Nobody,
            Some(v1::seat_owner::Owner::Person(person)) => {
                Owner::Person { player_id: person.player_id, display_name: person.display_name }
            }
            Some(v1::seat_owner::Owner::Bot(bot)) => Owner::Bot { level: bot.level },
        };
        let holder = Holder {
            owner,
            bot_levels: record.bot_levels,
            token_generation: record.token_generation,
        };
        SeatState { holder: Arc::new(holder), turn_ended: Version(record.turn_ended_version) }
    }
}

/// Takes a person's id out of what other seats see.
pub(crate) fn hide_player_id(owner: Option<&mut v1::SeatOwner>) {
    match owner.and_then(|owner| owner.owner.as_mut()) {
        Some(v1::seat_owner::Owner::Person(person)) => person.player_id.clear(),
        Some(v1::seat_owner::Owner::Bot(_)) | None => {}
    }
}
