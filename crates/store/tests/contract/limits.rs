//! Limits, and the end.
//!
//! **Invariant:** at a limit something is taken, one over it is refused, and nothing is half done.

use std::time::Duration;

use bytes::Bytes;
use handfoot_store::limits::{
    ANSWER_BYTES_MAX, ENTRY_BYTES_MAX, HISTORY_PAGE_MAX, LEASE_MAX, OUTBOX_BYTES_MAX,
    OUTBOX_PER_COMMIT_MAX, SNAPSHOT_BYTES_MAX, SUMMARY_BYTES_MAX, TURNS_MAX,
};
use handfoot_store::{
    Commit, History, LeaseUse, Limited, ListFilter, ListedState, ListingChange, OutboxCursor,
    Partition, StoreError, Tenants, TurnsChange, Version,
};

use crate::kit::{Fixture, answering, claim_of, commit, id, new_table, request, text, wanted};

/// A commit whose size in one respect is given, and its limit.
type Sized = (Limited, usize, fn(&mut Commit, usize));

const SIZES: [Sized; 7] = [
    (Limited::SnapshotBytes, SNAPSHOT_BYTES_MAX, |c, n| c.snapshot = Bytes::from(vec![1; n])),
    (Limited::EntryBytes, ENTRY_BYTES_MAX, |c, n| c.entry = Bytes::from(vec![1; n])),
    (Limited::AnswerBytes, ANSWER_BYTES_MAX, |c, n| {
        c.request.as_mut().expect("it has one").answer = Bytes::from(vec![1; n]);
    }),
    (Limited::SummaryBytes, SUMMARY_BYTES_MAX, |c, n| {
        c.listing = ListingChange::Set { state: ListedState(0), summary: Bytes::from(vec![1; n]) };
    }),
    (Limited::OutboxBytes, OUTBOX_BYTES_MAX, |c, n| c.outbox = vec![Bytes::from(vec![1; n])]),
    (Limited::OutboxEntries, OUTBOX_PER_COMMIT_MAX, |c, n| c.outbox = vec![text("x"); n]),
    (Limited::Turns, TURNS_MAX, |c, n| {
        let seats = 1..=u8::try_from(n).expect("few");
        c.turns = TurnsChange::Replace(seats.map(|seat| wanted(seat, 0)).collect());
    }),
];

pub(super) async fn what_is_too_large_is_refused_and_changes_nothing(mut f: Fixture) {
    let table = f.create("a").await;
    for (number, (what, max, resize)) in (0..).zip(SIZES) {
        let mark = f.mark(&table).await;
        let mut sized = answering(&table, mark, request(1, number, 1));
        resize(&mut sized, max + 1);
        assert_eq!(f.store.commit(sized.clone()).await, Err(StoreError::Limit { what, max }));
        assert_eq!(f.mark(&table).await, mark);
        resize(&mut sized, max);
        f.stand(sized).await;
    }
    if f.survives_a_restart() {
        f.reopen().await;
        f.play(&table, 1).await;
    }
    let mut large = new_table("b");
    large.snapshot = Bytes::from(vec![1; SNAPSHOT_BYTES_MAX + 1]);
    let what = Limited::SnapshotBytes;
    let refused = StoreError::Limit { what, max: SNAPSHOT_BYTES_MAX };
    assert_eq!(f.store.create(large).await, Err(refused));
    assert_eq!(f.store.load(&id("b")).await, Ok(None));

    let mut claim = claim_of(Tenants::All, &[0], 1);
    claim.length = LEASE_MAX + Duration::from_millis(1);
    let max = 600_000;
    let refused = StoreError::Limit { what: Limited::Lease, max };
    assert_eq!(f.store.claim_turns(claim).await, Err(refused));
}

pub(super) async fn pages_are_cut_to_their_limit(f: Fixture) {
    let table = f.create("a").await;
    f.play(&table, HISTORY_PAGE_MAX as u64 + 3).await;
    for (asked, given) in [(0, 1), (1, 1), (usize::MAX, HISTORY_PAGE_MAX)] {
        let history = f.store.history(&table, Version(1), asked).await;
        assert!(matches!(history, Ok(History::Entries(entries)) if entries.len() == given));
    }
}

pub(super) async fn a_closed_store_says_so(f: Fixture) {
    let table = f.create("a").await;
    f.owe(&table, &[wanted(1, 0)]).await;
    let lease = f.claim(1).await.remove(0).lease;
    let mark = f.mark(&table).await;
    assert_eq!(f.store.healthy().await, Ok(()));
    f.store.close().await.expect("it closes");
    f.store.close().await.expect("it is closed");

    let closed = StoreError::Closed;
    let mut held = commit(&table, mark);
    held.lease = LeaseUse::Held { lease: lease.clone(), length: crate::kit::LEASE };
    let filter = ListFilter { tenants: Tenants::All, state: None };
    let (claim, first) = (claim_of(Tenants::All, &[0], 1), Partition(0));
    let errors = [
        f.store.create(new_table("b")).await.map(drop),
        f.store.load(&table).await.map(drop),
        f.store.confirm(&table, mark).await.map(drop),
        f.store.commit(held).await.map(drop),
        f.store.history(&table, Version(1), 1).await.map(drop),
        f.store.watch(&table).await.map(drop),
        f.store.deadlines_due(first, 1).await.map(drop),
        f.store.claim_turns(claim).await.map(drop),
        f.store.renew_turn(&lease, crate::kit::LEASE).await.map(drop),
        f.store.release_turn(&lease).await.map(drop),
        f.store.outbox(first, OutboxCursor(0), 1).await.map(drop),
        f.store.list(filter, None, 1).await.map(drop),
        f.store.delete(&table).await.map(drop),
        f.store.healthy().await,
    ];
    assert!(errors.iter().all(|error| *error == Err(closed.clone())), "{errors:?}");
}
