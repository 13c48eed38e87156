//! Names of keys, channels and places.
//!
//! **Invariant:** everything of one partition has its tag, so that a cluster keeps it in one slot
//! and one script may change it.

use super::tags::{partition_of, tag};
use crate::{ListCursor, ListFilter, Millis, Partition, TableId, Tenants};

/// Places count down from here, so that the newest table comes first. It is the greatest number
/// that a script counts exactly.
const PLACE_MAX: u64 = (1 << 53) - 1;

/// What keys begin with after their partition: those of a table, which its name follows, and those
/// of the partition itself.
const STATE: &str = "t:";
const LOG: &str = "l:";
const REQUEST_NAMES: &str = "i:";
const TURNS: &str = "T";
const DEADLINES: &str = "D";
const LISTS: &str = "L";
const OUTBOX: &str = "O";
const NUMBERS: &str = "M";

/// Names in one partition.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) partition: Partition,
    base: String,
}

impl Keys {
    /// Names in a partition; none if there is no such partition.
    pub(super) fn of(prefix: &str, partition: Partition) -> Option<Self> {
        let tag = tag(partition)?;
        Some(Self { partition, base: format!("{prefix}:{{{tag}}}:") })
    }

    /// Names in the partition of a table.
    pub(super) fn of_table(prefix: &str, table: &TableId) -> Self {
        let partition = partition_of(table);
        let tag = tag(partition).unwrap_or_default();
        Self { partition, base: format!("{prefix}:{{{tag}}}:") }
    }

    fn of_partition(&self, kind: &str) -> String {
        [&self.base, kind].concat()
    }

    fn of_one(&self, kind: &str, table: &TableId) -> String {
        [&self.base, kind, table.as_str()].concat()
    }

    /// The state of a table: a hash.
    pub(super) fn state(&self, table: &TableId) -> String {
        self.of_one(STATE, table)
    }

    /// The log of a table: a stream whose ids are versions.
    pub(super) fn log(&self, table: &TableId) -> String {
        self.of_one(LOG, table)
    }

    /// All that is kept of a table: its state, its log and the names of the requests that it
    /// remembers (a list); then what belongs to the partition.
    pub(super) fn all(&self, table: &TableId) -> Vec<String> {
        self.first(usize::MAX, table)
    }

    /// The first so many of these; what a commit needs less often stands further back.
    pub(super) fn first(&self, count: usize, table: &TableId) -> Vec<String> {
        let own = [STATE, LOG, REQUEST_NAMES].into_iter().map(|kind| self.of_one(kind, table));
        let shared = [TURNS, DEADLINES, LISTS, OUTBOX, NUMBERS].into_iter();
        own.chain(shared.map(|kind| self.of_partition(kind))).take(count).collect()
    }

    /// Deadlines: a sorted set of tables.
    pub(super) fn deadlines(&self) -> String {
        self.of_partition(DEADLINES)
    }

    /// Turns owed: a sorted set, by when they can be taken.
    pub(super) fn turns(&self) -> String {
        self.of_partition(TURNS)
    }

    /// The outbox: a stream.
    pub(super) fn outbox(&self) -> String {
        self.of_partition(OUTBOX)
    }

    /// The newest number of the outbox and the newest token: a hash.
    pub(super) fn numbers(&self) -> String {
        self.of_partition(NUMBERS)
    }

    /// All lists of the partition: a sorted set of places.
    pub(super) fn lists(&self) -> String {
        self.of_partition(LISTS)
    }

    /// What is written to see whether anything can be written.
    pub(super) fn probe(&self) -> String {
        self.of_partition("P")
    }

    /// Where news of a table is said.
    pub(super) fn news(&self, table: &TableId) -> String {
        self.of_one("n:", table)
    }

    /// Where it is said that there is work for bots.
    pub(super) fn work(&self) -> String {
        self.of_partition("W")
    }

    /// The table that a channel is about; none if it is not one of a table's news here.
    pub(super) fn table_of_channel(channel: &str) -> Option<TableId> {
        channel.split_once("}:n:")?.1.parse().ok()
    }

    /// Whether a channel says that there is work.
    pub(super) fn is_work_channel(channel: &str) -> bool {
        channel.ends_with("}:W")
    }

    /// The tag that a channel has.
    pub(super) fn tag_of_channel(channel: &str) -> &str {
        let rest = channel.split_once('{').map_or("", |(_, rest)| rest);
        rest.split_once('}').map_or("", |(tag, _)| tag)
    }
}

/// What the places of a list begin with.
pub(super) fn list_name(filter: &ListFilter) -> String {
    match (&filter.tenants, filter.state) {
        (Tenants::One(tenant), _) => format!("t{tenant} "),
        (Tenants::All, Some(state)) => format!("s{:03}", state.0),
        (Tenants::All, None) => "a".to_owned(),
    }
}

/// A place in a list, after its name.
pub(super) fn place(cursor: &ListCursor) -> String {
    format!("{:016}{}", PLACE_MAX.saturating_sub(cursor.created_at.0), cursor.id)
}

/// Reads a place after its name.
pub(super) fn read_place(text: &str) -> Option<ListCursor> {
    let (count, id) = text.split_at_checked(16)?;
    let created_at = Millis(PLACE_MAX.checked_sub(count.parse().ok()?)?);
    Some(ListCursor { created_at, id: id.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_lists() {
        let cursor =
            |at: u64, id: &str| ListCursor { created_at: Millis(at), id: id.parse().unwrap() };
        let rows =
            [cursor(9, "b"), cursor(8, "a"), cursor(8, "a-1"), cursor(8, "ab"), cursor(0, "a")];
        let places: Vec<String> = rows.iter().map(place).collect();
        assert!(places.is_sorted(), "{places:?}");
        for (row, place) in rows.iter().zip(&places) {
            assert_eq!(read_place(place).as_ref(), Some(row));
        }
        assert_eq!(read_place("short"), None);
    }

    #[test]
    fn channels_name_their_tables() {
        let table: TableId = "t-1".parse().unwrap();
        let keys = Keys::of_table("hf", &table);
        let news = keys.news(&table);
        assert_eq!(Keys::table_of_channel(&news), Some(table));
        assert_eq!(Keys::tag_of_channel(&news), tag(keys.partition).unwrap());
        assert!(Keys::is_work_channel(&keys.work()) && !Keys::is_work_channel(&news));
        assert_eq!(Keys::table_of_channel(&keys.work()), None);
    }
}
