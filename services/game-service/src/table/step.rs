//! One commit of a table: what the log keeps of it, and what each viewer is told.
//!
//! **Invariant:** a step reaches a caller only through [`Step::seen_by`], which takes its events
//! from the engine by viewer.

use handfoot_engine::{Events, SNAPSHOT_VERSION, Viewer};
use handfoot_protocol::state::v1::{CommitRecord, RequestRecord};
use handfoot_protocol::{Codec, v1};
use handfoot_rules::Rules;
use handfoot_store::{Chain, LogEntry, Mark, Millis, Version};
use handfoot_telemetry::TraceParent;
use handfoot_view::Seat;
use prost::Message;

use super::record::{SCHEMA, number_of, timestamp};
use super::seats::hide_player_id;
use super::{Fixed, Stage, Unreadable};

/// One commit of a table.
pub(crate) struct Step {
    pub(crate) mark: Mark,
    pub(crate) game_version: Version,
    pub(crate) at: Millis,
    pub(crate) cause: v1::CommitCause,
    /// The seat it concerns.
    pub(crate) seat: Option<Seat>,
    pub(crate) controller: v1::Controller,
    pub(crate) events: Events,
    /// Seats that changed, with everything that the platform may know of them.
    pub(crate) players: Vec<v1::SeatPlayer>,
    pub(crate) stage: Stage,
    /// The span in which it was made; none if nobody follows it.
    pub(crate) trace: Option<TraceParent>,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Step").field("mark", &self.mark).finish_non_exhaustive()
    }
}

impl Step {
    /// What the log keeps. The store keeps chain and time beside it.
    pub(crate) fn to_bytes(&self, rules: &Rules, request: Option<RequestRecord>) -> Vec<u8> {
        let engine_events = match self.events.is_empty() {
            true => Vec::new(),
            false => self.events.store(rules),
        };
        CommitRecord {
            schema: SCHEMA,
            min_reader: SCHEMA,
            version: self.mark.version.0,
            game_version: self.game_version.0,
            cause: self.cause as i32,
            seat: self.seat.map_or(0, number_of),
            controller: self.controller as i32,
            engine_format: u32::from(SNAPSHOT_VERSION),
            engine_events,
            players: self.players.clone(),
            table_state: self.stage.to_message() as i32,
            request,
            traceparent: self.trace.as_ref().map(ToString::to_string).unwrap_or_default(),
            ..CommitRecord::default()
        }
        .encode_to_vec()
    }

    /// A commit from the log.
    ///
    /// # Errors
    ///
    /// [`Unreadable`].
    pub(crate) fn of_entry(fixed: &Fixed, entry: &LogEntry) -> Result<Step, Unreadable> {
        let record = CommitRecord::decode(&*entry.entry).map_err(|_| Unreadable::Damaged)?;
        if record.min_reader > SCHEMA {
            return Err(Unreadable::Newer);
        }
        Step::of_record(fixed, record, entry).ok_or(Unreadable::Damaged)
    }

    fn of_record(fixed: &Fixed, record: CommitRecord, entry: &LogEntry) -> Option<Step> {
        if record.version != entry.version.0 || record.game_version > record.version {
            return None;
        }
        let events = match record.engine_events.is_empty() {
            true => Events::new(),
            false => Events::restore(&fixed.rules, &record.engine_events).ok()?,
        };
        let seat = usize::try_from(record.seat).ok()?;
        if seat > fixed.rules.seats() {
            return None;
        }
        Some(Step {
            mark: Mark { version: entry.version, chain: entry.chain },
            game_version: Version(record.game_version),
            at: entry.at,
            cause: v1::CommitCause::try_from(record.cause).ok()?,
            seat: Seat::from_number(seat),
            controller: v1::Controller::try_from(record.controller).ok()?,
            events,
            players: record.players,
            stage: Stage::of_message(record.table_state)?,
            trace: record.traceparent.parse().ok(),
        })
    }

    /// The commit as a viewer may know it.
    pub(crate) fn seen_by(&self, fixed: &Fixed, viewer: Viewer) -> v1::Commit {
        let codec = Codec::new(&fixed.rules);
        let events = self.events.seen_by(viewer);
        v1::Commit {
            stamp: Some(v1::Stamp {
                version: self.mark.version.0,
                game_version: self.game_version.0,
                chain: self.mark.chain.0.to_vec(),
            }),
            commit_time: Some(timestamp(self.at)),
            cause: self.cause as i32,
            seat: self.seat.map_or(0, number_of),
            controller: self.controller as i32,
            events: events.map(|event| codec.encode_event(event.event())).collect(),
            players: self.players.iter().map(|player| player_seen_by(player, viewer)).collect(),
            table_state: self.stage.to_message() as i32,
        }
    }
}

/// Whether an entry follows a chain.
pub(crate) fn is_linked(fixed: &Fixed, before: Chain, entry: &LogEntry) -> bool {
    fixed.secrets.next_chain(before, entry.version, &entry.entry) == entry.chain
}

fn player_seen_by(player: &v1::SeatPlayer, viewer: Viewer) -> v1::SeatPlayer {
    let mut seen = player.clone();
    let is_own = match viewer {
        Viewer::Seat(seat) => number_of(seat) == seen.seat,
        Viewer::Spectator => false,
    };
    if !is_own {
        hide_player_id(seen.owner.as_mut());
    }
    seen
}
