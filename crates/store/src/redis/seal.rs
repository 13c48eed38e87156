//! Checksums around what is kept as one value.
//!
//! **Invariant:** what is read back is what was written for this place, or nothing. The checksum
//! (CRC-32) covers the place too, so that a value in another's place is noticed.

use bytes::Bytes;

use crate::{Chain, Mark, Request, TableId, Version};

/// The form of every value that is written.
const FORM: u8 = 1;

/// Bytes of the checksum and the form.
const SEAL_BYTES: usize = 5;

/// What a value is and where it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    Snapshot(&'a TableId, Mark),
    Entry(&'a TableId, Version, Chain),
    Answer(&'a TableId, &'a Request),
    Creation(&'a TableId),
    Outbox(&'a TableId, Version),
}

impl Place<'_> {
    fn hash(self) -> crc32fast::Hasher {
        let mut hasher = crc32fast::Hasher::new();
        let mut begin = |kind: u8, table: &TableId| {
            hasher.update(&[kind]);
            hasher.update(table.as_str().as_bytes());
            hasher.update(&[0]);
        };
        match self {
            Self::Snapshot(table, mark) => {
                begin(b's', table);
                hasher.update(&mark.version.0.to_le_bytes());
                hasher.update(&mark.chain.0);
            }
            Self::Entry(table, version, chain) => {
                begin(b'e', table);
                hasher.update(&version.0.to_le_bytes());
                hasher.update(&chain.0);
            }
            Self::Answer(table, request) => {
                begin(b'n', table);
                hasher.update(&[request.seat]);
                hasher.update(&request.id.0);
                hasher.update(&request.body.0);
            }
            Self::Creation(table) => begin(b'c', table),
            Self::Outbox(table, version) => {
                begin(b'o', table);
                hasher.update(&version.0.to_le_bytes());
            }
        }
        hasher
    }

    fn checksum(self, body: &[u8]) -> [u8; 4] {
        let mut hasher = self.hash();
        hasher.update(body);
        hasher.finalize().to_le_bytes()
    }

    /// The value with its checksum.
    pub(super) fn seal(self, value: &[u8]) -> Vec<u8> {
        let mut sealed = Vec::with_capacity(SEAL_BYTES + value.len());
        sealed.extend([0; 4]);
        sealed.push(FORM);
        sealed.extend(value);
        let checksum = self.checksum(&sealed[4..]);
        sealed[..4].copy_from_slice(&checksum);
        sealed
    }

    /// The value, if it is whole and in its place.
    pub(super) fn open(self, sealed: Vec<u8>) -> Option<Bytes> {
        let (found, body) = sealed.split_at_checked(4)?;
        if self.checksum(body) != found || *body.first()? != FORM {
            return None;
        }
        Some(Bytes::from(sealed).slice(SEAL_BYTES..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_in_its_place_and_nowhere_else() {
        let (a, b): (TableId, TableId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let (one, two) = (Version(1), Version(2));
        let sealed = Place::Outbox(&a, one).seal(b"said");
        assert_eq!(Place::Outbox(&a, one).open(sealed.clone()).unwrap(), "said");
        for other in [Place::Outbox(&b, one), Place::Outbox(&a, two), Place::Creation(&a)] {
            assert_eq!(other.open(sealed.clone()), None, "{other:?}");
        }
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Place::Outbox(&a, one).open(damaged), None, "{bit}");
        }
        for length in 0..sealed.len() {
            assert_eq!(Place::Outbox(&a, one).open(sealed[..length].to_vec()), None, "{length}");
        }
    }
}
