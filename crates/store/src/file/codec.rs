//! How records lie on disk: a checksum, the number of the form, then the fields in order.
//!
//! **Invariant:** what is read back is what was written, or nothing. The checksum (CRC-32) covers
//! the key too, so that a record in another's place is noticed. The engine beneath has checksums
//! of its own (XXH3 over each batch of its journal and each block of its files); these tell which
//! table a damaged value belongs to.

use bytes::Bytes;

use crate::head::Head;
use crate::{
    BodyHash, Chain, ListedState, LogEntry, Mark, Millis, OutboxCursor, OutboxEntry, Queue,
    RequestId, TurnWanted, Version,
};

/// The form of every record that is written.
const FORM: u8 = 1;

/// Bytes of the checksum.
const CHECKSUM_BYTES: usize = 4;

/// A remembered request as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestRecord {
    pub(super) number: u64,
    pub(super) version: Version,
    pub(super) seat: u8,
    pub(super) id: RequestId,
    pub(super) body: BodyHash,
    pub(super) answer: Bytes,
}

/// Fields being written.
struct Writing(Vec<u8>);

impl Writing {
    fn new(room: usize) -> Self {
        let mut bytes = Vec::with_capacity(room + CHECKSUM_BYTES + 1);
        bytes.extend([0; CHECKSUM_BYTES]);
        bytes.push(FORM);
        Self(bytes)
    }

    fn u8(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    fn u16(&mut self, value: u16) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn sixteen(&mut self, value: &[u8; 16]) -> &mut Self {
        self.0.extend(value);
        self
    }

    /// Bytes with their count, at most 65,535.
    fn short(&mut self, value: &[u8]) -> &mut Self {
        self.u16(u16::try_from(value.len()).expect("names, turns and summaries are short"));
        self.0.extend(value);
        self
    }

    /// The last field, which needs no count.
    fn rest(&mut self, value: &[u8]) -> &mut Self {
        self.0.extend(value);
        self
    }

    fn seal(&mut self, key: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.0);
        let checksum = checksum(key, &bytes[CHECKSUM_BYTES..]);
        bytes[..CHECKSUM_BYTES].copy_from_slice(&checksum);
        bytes
    }
}

/// Fields being read.
struct Reading(Bytes);

impl Reading {
    /// Opens a record; `None` if it is damaged, or of a form that is not known.
    fn new(key: &[u8], record: &Bytes) -> Option<Self> {
        let (found, body) = record.split_at_checked(CHECKSUM_BYTES)?;
        if checksum(key, body) != found {
            return None;
        }
        let mut reading = Self(record.slice(CHECKSUM_BYTES..));
        (reading.u8()? == FORM).then_some(reading)
    }

    fn take(&mut self, count: usize) -> Option<Bytes> {
        (count <= self.0.len()).then(|| self.0.split_to(count))
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.as_ref().try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn short(&mut self) -> Option<Bytes> {
        let count = self.u16()?;
        self.take(usize::from(count))
    }
}

fn checksum(key: &[u8], body: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(body);
    hasher.finalize().to_le_bytes()
}

/// Writes a head and its snapshot.
pub(super) fn state(key: &[u8], head: &Head, snapshot: &[u8]) -> Vec<u8> {
    let mut writing = Writing::new(256 + snapshot.len());
    writing.u64(head.mark.version.0).sixteen(&head.mark.chain.0).u64(head.at.0);
    writing.u64(head.created_at.0).u64(head.log_oldest.0).u64(head.n_requests);
    writing.short(head.tenant.as_str().as_bytes()).u8(head.state.0).short(&head.summary);
    match head.deadline {
        None => writing.u8(0),
        Some(deadline) => writing.u8(1).u64(deadline.0),
    };
    writing.u8(u8::try_from(head.turns.len()).expect("a turn for each seat at most"));
    for turn in &head.turns {
        writing.u8(turn.seat).u16(turn.queue.0).u64(turn.takeable_at.0);
    }
    writing.rest(snapshot).seal(key)
}

/// Reads a head and its snapshot.
pub(super) fn read_state(key: &[u8], record: &Bytes) -> Option<(Head, Bytes)> {
    let mut fields = Reading::new(key, record)?;
    let mark = Mark { version: Version(fields.u64()?), chain: Chain(fields.array()?) };
    let (at, created_at) = (Millis(fields.u64()?), Millis(fields.u64()?));
    let (log_oldest, n_requests) = (Version(fields.u64()?), fields.u64()?);
    let tenant = std::str::from_utf8(&fields.short()?).ok()?.parse().ok()?;
    let state = ListedState(fields.u8()?);
    // A copy, so that a head does not keep its whole record in memory.
    let summary = Bytes::copy_from_slice(&fields.short()?);
    let deadline = match fields.u8()? {
        0 => None,
        _ => Some(Millis(fields.u64()?)),
    };
    let mut turns = Vec::new();
    for _ in 0..fields.u8()? {
        let (seat, queue) = (fields.u8()?, Queue(fields.u16()?));
        turns.push(TurnWanted { seat, queue, takeable_at: Millis(fields.u64()?) });
    }
    let head = Head {
        mark,
        at,
        created_at,
        tenant,
        state,
        summary,
        deadline,
        turns,
        log_oldest,
        n_requests,
    };
    Some((head, fields.0))
}

/// Writes a log entry.
pub(super) fn entry(key: &[u8], entry: &LogEntry) -> Vec<u8> {
    let mut writing = Writing::new(64 + entry.entry.len());
    writing.u64(entry.version.0).sixteen(&entry.chain.0).u64(entry.at.0);
    writing.rest(&entry.entry).seal(key)
}

/// Reads a log entry.
pub(super) fn read_entry(key: &[u8], record: &Bytes) -> Option<LogEntry> {
    let mut fields = Reading::new(key, record)?;
    let (version, chain) = (Version(fields.u64()?), Chain(fields.array()?));
    Some(LogEntry { version, chain, at: Millis(fields.u64()?), entry: fields.0 })
}

/// Writes a remembered request.
pub(super) fn request(key: &[u8], request: &RequestRecord) -> Vec<u8> {
    let mut writing = Writing::new(64 + request.answer.len());
    writing.u64(request.number).u64(request.version.0).u8(request.seat);
    writing.sixteen(&request.id.0).sixteen(&request.body.0).rest(&request.answer).seal(key)
}

/// Reads a remembered request.
pub(super) fn read_request(key: &[u8], record: &Bytes) -> Option<RequestRecord> {
    let mut fields = Reading::new(key, record)?;
    Some(RequestRecord {
        number: fields.u64()?,
        version: Version(fields.u64()?),
        seat: fields.u8()?,
        id: RequestId(fields.array()?),
        body: BodyHash(fields.array()?),
        answer: fields.0,
    })
}

/// Writes an outbox entry.
pub(super) fn outbox(key: &[u8], entry: &OutboxEntry) -> Vec<u8> {
    let mut writing = Writing::new(128 + entry.body.len());
    writing.u64(entry.cursor.0).short(entry.table.as_str().as_bytes());
    writing.u64(entry.version.0).u64(entry.at.0).rest(&entry.body).seal(key)
}

/// Reads an outbox entry.
pub(super) fn read_outbox(key: &[u8], record: &Bytes) -> Option<OutboxEntry> {
    let mut fields = Reading::new(key, record)?;
    Some(OutboxEntry {
        cursor: OutboxCursor(fields.u64()?),
        table: std::str::from_utf8(&fields.short()?).ok()?.parse().ok()?,
        version: Version(fields.u64()?),
        at: Millis(fields.u64()?),
        body: fields.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            mark: Mark { version: Version(7), chain: Chain([3; 16]) },
            at: Millis(20),
            created_at: Millis(10),
            tenant: "acme".parse().unwrap(),
            state: ListedState(2),
            summary: Bytes::from_static(b"four players"),
            deadline: Some(Millis(99)),
            turns: vec![TurnWanted { seat: 2, queue: Queue(5), takeable_at: Millis(30) }],
            log_oldest: Version(3),
            n_requests: 6,
        }
    }

    #[test]
    fn records_are_read_back() {
        let record = Bytes::from(state(b"k", &head(), b"snapshot"));
        assert_eq!(read_state(b"k", &record), Some((head(), Bytes::from_static(b"snapshot"))));
        let bare = Head { deadline: None, turns: Vec::new(), summary: Bytes::new(), ..head() };
        let record = Bytes::from(state(b"k", &bare, b""));
        assert_eq!(read_state(b"k", &record), Some((bare, Bytes::new())));
    }

    #[test]
    fn any_change_of_a_record_is_noticed() {
        let record = state(b"k", &head(), b"snapshot");
        assert_eq!(read_state(b"l", &Bytes::from(record.clone())), None, "under another key");
        for index in 0..record.len() {
            let mut changed = record.clone();
            changed[index] ^= 0x10;
            assert_eq!(read_state(b"k", &Bytes::from(changed)), None, "byte {index}");
            let short = Bytes::copy_from_slice(&record[..index]);
            assert_eq!(read_state(b"k", &short), None, "{index} bytes");
        }
    }
}
