//! The requests that a table remembers.
//!
//! **Invariant:** the newest [`REQUESTS_KEPT`] and no more; a request has a number that counts all
//! requests of its table, and its slot is that number modulo the count kept.

use std::collections::VecDeque;

use crate::limits::REQUESTS_KEPT;
use crate::{BodyHash, Request, RequestId};

/// A request that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Remembered<A> {
    pub(crate) seat: u8,
    pub(crate) id: RequestId,
    pub(crate) body: BodyHash,
    /// The answer, or nothing where it is kept elsewhere.
    pub(crate) answer: A,
}

/// The requests of one table, oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Requests<A> {
    /// The number of the request that comes next.
    next: u64,
    kept: VecDeque<Remembered<A>>,
}

/// What is known of a request.
pub(crate) enum Known<'a, A> {
    /// It is new, or forgotten.
    No,
    /// It was answered.
    Answered {
        /// Its slot.
        slot: u8,
        /// What is remembered.
        remembered: &'a Remembered<A>,
    },
    /// Its id was used for something else.
    Reused {
        /// The slot of that.
        slot: u8,
        /// What is remembered of it.
        remembered: &'a Remembered<A>,
    },
}

impl<A> Requests<A> {
    /// Requests of which so many came before.
    pub(crate) const fn new(next: u64) -> Self {
        Self { next, kept: VecDeque::new() }
    }

    /// Looks for a request.
    pub(crate) fn find(&self, request: &Request) -> Known<'_, A> {
        let is_same = |kept: &Remembered<A>| kept.id == request.id && kept.seat == request.seat;
        let Some(index) = self.kept.iter().position(is_same) else { return Known::No };
        let remembered = &self.kept[index];
        let from_end = self.kept.len() - index;
        let slot = slot(self.next - from_end as u64);
        match remembered.body == request.body {
            true => Known::Answered { slot, remembered },
            false => Known::Reused { slot, remembered },
        }
    }

    /// Remembers one more; gives its slot.
    pub(crate) fn remember(&mut self, remembered: Remembered<A>) -> u8 {
        if self.kept.len() == REQUESTS_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(remembered);
        self.next += 1;
        slot(self.next - 1)
    }
}

/// The slot of the request with this number.
pub(crate) fn slot(number: u64) -> u8 {
    u8::try_from(number % REQUESTS_KEPT as u64).expect("the count kept is at most 256")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(seat: u8, id: u8, body: u8) -> Request {
        Request {
            seat,
            id: RequestId([id; 16]),
            body: BodyHash([body; 16]),
            answer: bytes::Bytes::new(),
        }
    }

    #[test]
    fn the_newest_are_kept_each_in_its_slot() {
        let mut requests = Requests::new(0);
        for number in 0..200_u8 {
            let Request { seat, id, body, .. } = request(1, number, 7);
            let slot = requests.remember(Remembered { seat, id, body, answer: () });
            assert_eq!(slot, number % 128);
        }
        for number in 0..200_u8 {
            match requests.find(&request(1, number, 7)) {
                Known::No => assert!(number < 72),
                Known::Answered { slot, .. } => {
                    assert_eq!((slot, number >= 72), (number % 128, true));
                }
                Known::Reused { .. } => panic!("{number} has one body"),
            }
        }
        assert!(matches!(requests.find(&request(1, 199, 8)), Known::Reused { .. }));
        assert!(matches!(requests.find(&request(2, 199, 7)), Known::No));
    }
}
