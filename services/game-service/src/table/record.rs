//! A table as the store keeps it.
//!
//! A snapshot begins with what never changes, encoded once, and goes on with what does: two
//! encodings of one message, put together, are one encoding of it.
//!
//! **Invariant:** bytes that cannot be this table are refused, whatever they are. What is sent
//! never comes from here.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handfoot_engine::{Game, SNAPSHOT_VERSION};
use handfoot_protocol::state::v1::{SeatRecord, TableRecord};
use handfoot_protocol::{decode_draft, decode_options, v1};
use handfoot_rules::Rules;
use handfoot_store::{Loaded, Mark, Millis, TableId, Version};
use handfoot_view::Seat;
use prost::Message;

use super::{Fixed, SeatOrder, SeatState, Secrets, Stage, Table};

/// The schema that is written, and the oldest reader that understands it. It goes up with the
/// version of the engine's snapshots too, which are part of a table.
pub(super) const SCHEMA: u32 = 1;

/// The revision of the rules that this program plays.
pub(crate) const RULES_REVISION: u32 = 1;

/// Why bytes are not a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// A newer program wrote them.
    #[error("written by a newer program")]
    Newer,
    /// They do not add up.
    #[error("damaged")]
    Damaged,
}

/// A time as it is sent.
pub(crate) fn timestamp(at: Millis) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: i64::try_from(at.0 / 1000).unwrap_or(i64::MAX),
        nanos: i32::try_from(at.0 % 1000 * 1_000_000).unwrap_or(0),
    }
}

fn millis(time: &prost_types::Timestamp) -> Millis {
    let seconds = u64::try_from(time.seconds).unwrap_or(0);
    let rest = u64::try_from(time.nanos / 1_000_000).unwrap_or(0);
    Millis(seconds.saturating_mul(1000).saturating_add(rest))
}

fn millis_of(number: u32) -> Duration {
    Duration::from_millis(u64::from(number))
}

impl Fixed {
    /// With the bytes that every snapshot of the table begins with.
    pub(crate) fn encoded(mut self) -> Fixed {
        let record = TableRecord {
            schema: SCHEMA,
            min_reader: SCHEMA,
            rules_revision: RULES_REVISION,
            tenant: self.tenant.as_str().to_owned(),
            table_id: self.id.as_str().to_owned(),
            display_name: self.display_name.clone(),
            preset_id: self.preset_id.clone(),
            rules: Some(self.rules_message.clone()),
            options: Some(self.options_message()),
            first_dealer: self.first_dealer.map_or(0, number_of),
            secrets: Some(self.secrets.to_record()),
            seed_origin: self.seed_origin as i32,
            created_by: Some(self.created_by.clone()),
            ..TableRecord::default()
        };
        self.bytes = record.encode_to_vec().into();
        self
    }

    fn of_record(record: &TableRecord) -> Option<Fixed> {
        let rules_message = record.rules.clone()?;
        let draft = decode_draft(&rules_message).ok()?;
        let rules = Rules::new(draft).ok()?.rules;
        let options = record.options.as_ref()?;
        let fixed = Fixed {
            id: record.table_id.parse().ok()?,
            tenant: record.tenant.parse().ok()?,
            display_name: record.display_name.clone(),
            preset_id: record.preset_id.clone(),
            options: decode_options(Some(options)).ok()?,
            bot_pace: millis_of(options.bot_pace_ms),
            lift_wait: options.lift_wait_ms.map(millis_of),
            seat_order: SeatOrder::of_message(options.seat_order)?,
            first_dealer: usize::try_from(record.first_dealer).ok().and_then(Seat::from_number),
            secrets: Secrets::of_record(record.secrets.as_ref()?)?,
            seed_origin: v1::SeedOrigin::try_from(record.seed_origin).ok()?,
            created_by: record.created_by.clone()?,
            rules: Arc::new(rules),
            rules_message,
            bytes: Bytes::new(),
        };
        Some(fixed.encoded())
    }
}

impl Table {
    /// The whole table, to be stored.
    pub(crate) fn to_bytes(&self) -> Bytes {
        let seats = self.numbered_seats().map(|(number, seat)| seat.to_record(number));
        let record = TableRecord {
            state: self.stage.to_message() as i32,
            seats: seats.collect(),
            version: self.mark.version.0,
            game_version: self.game_version.0,
            chain: self.mark.chain.0.to_vec(),
            create_time: (self.mark.version > Version(0)).then(|| timestamp(self.created_at)),
            start_time: self.started_at.map(timestamp),
            end_time: self.ended_at.map(timestamp),
            engine_format: u32::from(SNAPSHOT_VERSION),
            engine: self.game.as_ref().map_or_else(Vec::new, |game| game.snapshot().into_bytes()),
            ..TableRecord::default()
        };
        let mut bytes = Vec::with_capacity(self.fixed.bytes.len() + record.encoded_len());
        bytes.extend_from_slice(&self.fixed.bytes);
        record.encode(&mut bytes).expect("a vector has room for any message");
        bytes.into()
    }

    /// A table that was loaded. `known` is what another version of it has given, which saves
    /// reading it again.
    ///
    /// # Errors
    ///
    /// [`Unreadable`].
    pub(crate) fn of_loaded(
        id: &TableId,
        loaded: &Loaded,
        known: Option<&Arc<Fixed>>,
    ) -> Result<Table, Unreadable> {
        let shared = known.and_then(|fixed| {
            Some((Arc::clone(fixed), loaded.snapshot.strip_prefix(&*fixed.bytes)?))
        });
        let (fixed, record) = match shared {
            Some((fixed, rest)) => (fixed, decoded(rest)?),
            None => {
                let record = decoded(&loaded.snapshot)?;
                if record.min_reader > SCHEMA || record.rules_revision > RULES_REVISION {
                    return Err(Unreadable::Newer);
                }
                let fixed = Fixed::of_record(&record).ok_or(Unreadable::Damaged)?;
                (Arc::new(fixed), record)
            }
        };
        if fixed.id != *id {
            return Err(Unreadable::Damaged);
        }
        Table::of_record(fixed, record, loaded).ok_or(Unreadable::Damaged)
    }

    fn of_record(fixed: Arc<Fixed>, record: TableRecord, loaded: &Loaded) -> Option<Table> {
        let is_marked = record.version == loaded.mark.version.0
            && record.game_version <= record.version
            && record.chain == loaded.mark.chain.0;
        if !is_marked {
            return None;
        }
        let stage = Stage::of_message(record.state)?;
        let game = match record.engine.is_empty() {
            true => None,
            false => Some(Game::restore(&fixed.rules, &record.engine).ok()?),
        };
        // A table that is played has a game; one that waits has none.
        match (stage, &game) {
            (Stage::Waiting, None)
            | (Stage::Playing | Stage::Finished, Some(_))
            | (Stage::Cancelled, _) => {}
            (Stage::Waiting, Some(_)) | (Stage::Playing | Stage::Finished, None) => return None,
        }
        let seats = seats_of(record.seats, fixed.rules.seats())?;
        // The commit that started or ended a table did not know its own time.
        let since =
            |time: &Option<prost_types::Timestamp>| Some(time.as_ref().map_or(loaded.at, millis));
        Some(Table {
            mark: Mark { version: loaded.mark.version, chain: loaded.mark.chain },
            at: loaded.at,
            game_version: Version(record.game_version),
            stage,
            seats,
            created_at: record.create_time.as_ref().map_or(loaded.at, millis),
            started_at: game.as_ref().and_then(|_| since(&record.start_time)),
            ended_at: stage.is_closed().then(|| since(&record.end_time)).flatten(),
            game,
            fixed,
        })
    }
}

fn seats_of(records: Vec<SeatRecord>, seats: usize) -> Option<Vec<SeatState>> {
    let in_order = (1u32..).zip(&records).all(|(number, record)| record.seat == number);
    if !in_order || records.len() != seats {
        return None;
    }
    Some(records.into_iter().map(SeatState::of_record).collect())
}

fn decoded(bytes: &[u8]) -> Result<TableRecord, Unreadable> {
    TableRecord::decode(bytes).map_err(|_| Unreadable::Damaged)
}

/// A seat's number on the wire.
pub(crate) fn number_of(seat: Seat) -> u32 {
    u32::try_from(seat.number()).unwrap_or(0)
}
