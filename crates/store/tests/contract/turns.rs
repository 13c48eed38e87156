//! Turns owed, and leases on them.
//!
//! **Invariant:** a turn has one holder at a time, and a holder who is late can do nothing.

use handfoot_store::{
    CommitOutcome, Lease, LeaseOutcome, LeaseUse, Millis, Queue, Tenants, TurnDue, TurnWanted,
    TurnsChange, Version,
};

use crate::kit::{
    Fixture, LEASE, START, answering, claim_of, commit, id, new_table, request, under, wanted,
};

fn seats(due: &[TurnDue]) -> Vec<(String, u8)> {
    due.iter().map(|due| (due.lease.table.to_string(), due.lease.seat)).collect()
}

async fn renew(f: &Fixture, lease: &Lease) -> LeaseOutcome {
    f.store.renew_turn(lease, LEASE).await.expect("it is answered")
}

pub(super) async fn a_turn_is_claimed_once(f: Fixture) {
    let table = f.create("a").await;
    f.owe(&table, &[wanted(1, 0), wanted(3, 0)]).await;
    let first = f.claim(1).await;
    assert_eq!(seats(&first), [("a".to_owned(), 1)]);
    assert_eq!(first[0].until, START.after(LEASE));
    assert_eq!((first[0].version, first[0].queue), (Version(1), Queue(0)));
    assert_eq!(first[0].tenant.as_str(), "acme");
    assert_eq!(seats(&f.claim(9).await), [("a".to_owned(), 3)]);
    assert_eq!(f.claim(9).await, []);
    let released = f.store.release_turn(&first[0].lease).await;
    assert_eq!(released, Ok(LeaseOutcome::Held { until: START }));
    let second = f.claim(9).await;
    assert_eq!(seats(&second), [("a".to_owned(), 1)]);
    assert_ne!(second[0].lease.token, first[0].lease.token);
}

pub(super) async fn a_lease_ends_by_the_clock(mut f: Fixture) {
    let table = f.create("a").await;
    f.owe(&table, &[wanted(1, 0)]).await;
    let first = f.claim(1).await.remove(0);
    f.at(4_999);
    assert_eq!(f.claim(1).await, []);
    let until = Millis(START.0 + 9_999);
    assert_eq!(renew(&f, &first.lease).await, LeaseOutcome::Held { until });
    f.at(9_998);
    assert_eq!(f.claim(1).await, []);
    f.at(9_999);
    assert_eq!(renew(&f, &first.lease).await, LeaseOutcome::Lost);
    let second = f.claim(1).await.remove(0);
    assert_eq!(second.lease.seat, 1);
    if f.survives_a_restart() && f.forgets_claims() {
        f.reopen().await;
        // A restart forgets claims, and no token is used again.
        let third = f.claim(1).await.remove(0);
        assert!(third.lease.token > second.lease.token);
        assert_eq!(renew(&f, &second.lease).await, LeaseOutcome::Lost);
        assert!(matches!(renew(&f, &third.lease).await, LeaseOutcome::Held { .. }));
    }
}

/// Fault list: R102.
pub(super) async fn a_late_holder_is_refused(f: Fixture) {
    let table = f.create("a").await;
    f.owe(&table, &[wanted(1, 0)]).await;
    let late = f.claim(1).await.remove(0);
    let mark = f.mark(&table).await;
    f.at(5_000);
    // Also before another has taken the turn.
    assert_eq!(f.store.commit(under(&late, mark)).await, Ok(CommitOutcome::LeaseLost));
    let other = f.claim(1).await.remove(0);
    assert_eq!(renew(&f, &late.lease).await, LeaseOutcome::Lost);
    assert_eq!(f.store.release_turn(&late.lease).await, Ok(LeaseOutcome::Lost));
    assert_eq!(f.store.commit(under(&late, mark)).await, Ok(CommitOutcome::LeaseLost));
    assert_eq!(f.mark(&table).await, mark);
    assert_eq!(f.stand(under(&other, mark)).await, Version(2));
    // What a late holder did in time is still answered.
    let done = answering(&table, f.mark(&table).await, request(1, 5, 1));
    f.stand(done.clone()).await;
    let again = handfoot_store::Commit { lease: under(&late, mark).lease, ..done };
    assert!(matches!(f.store.commit(again).await, Ok(CommitOutcome::Duplicate { .. })));
}

pub(super) async fn a_commit_renews_the_lease(f: Fixture) {
    let table = f.create("a").await;
    f.owe(&table, &[wanted(1, 0), wanted(2, 0)]).await;
    let held = f.claim(1).await.remove(0);
    f.at(3_000);
    f.stand(under(&held, f.mark(&table).await)).await;
    f.at(7_000);
    // Still owed, at the same or another time: still held.
    let mut next = under(&held, f.mark(&table).await);
    next.turns = TurnsChange::Replace(vec![wanted(1, 6_000), wanted(2, 0)]);
    f.stand(next).await;
    f.at(11_999);
    assert_eq!(seats(&f.claim(9).await), [("a".to_owned(), 2)]);
    assert!(matches!(renew(&f, &held.lease).await, LeaseOutcome::Held { .. }));
    // A commit of others does not renew it, and does not end it.
    f.at(13_000);
    f.stand(commit(&table, f.mark(&table).await)).await;
    f.at(16_998);
    assert_eq!(
        renew(&f, &held.lease).await,
        LeaseOutcome::Held { until: Millis(START.0 + 21_998) }
    );
}

pub(super) async fn a_turn_that_is_no_longer_owed_ends_the_lease(f: Fixture) {
    let table = f.create("a").await;
    f.owe(&table, &[wanted(1, 0)]).await;
    let held = f.claim(1).await.remove(0);
    let mut last = under(&held, f.mark(&table).await);
    last.turns = TurnsChange::Replace(vec![wanted(2, 0)]);
    f.stand(last).await;
    assert_eq!(renew(&f, &held.lease).await, LeaseOutcome::Lost);
    assert_eq!(seats(&f.claim(9).await), [("a".to_owned(), 2)]);
    // Owed again, it is another turn: the old lease does not come back.
    f.owe(&table, &[wanted(1, 0)]).await;
    assert_eq!(renew(&f, &held.lease).await, LeaseOutcome::Lost);
    assert_eq!(seats(&f.claim(9).await), [("a".to_owned(), 1)]);
    f.owe(&table, &[]).await;
    assert_eq!(f.claim(9).await, []);
}

pub(super) async fn a_turn_waits_for_its_time_and_its_queue(mut f: Fixture) {
    let table = f.create("a").await;
    let other = TurnWanted { queue: Queue(7), ..wanted(3, 0) };
    f.owe(&table, &[wanted(1, 200), wanted(2, 100), other]).await;
    if f.survives_a_restart() {
        f.reopen().await;
    }
    assert_eq!(f.claim(9).await, []);
    let seven = f.store.claim_turns(claim_of(Tenants::All, &[7], 9)).await.expect("answered");
    assert_eq!(seats(&seven), [("a".to_owned(), 3)]);
    // In another queue it is another turn.
    f.owe(&table, &[wanted(1, 200), wanted(2, 100), wanted(3, 300)]).await;
    assert_eq!(renew(&f, &seven[0].lease).await, LeaseOutcome::Lost);
    f.at(100);
    assert_eq!(seats(&f.claim(9).await), [("a".to_owned(), 2)]);
    f.at(300);
    let rest = f.store.claim_turns(claim_of(Tenants::All, &[7, 0], 9)).await.expect("answered");
    assert_eq!(seats(&rest), [("a".to_owned(), 1), ("a".to_owned(), 3)]);
}

pub(super) async fn tenants_take_turns(f: Fixture) {
    let tables = [("a1", "acme", 0), ("a2", "acme", 1), ("a3", "acme", 2), ("b1", "best", 5)];
    for (name, tenant, after) in tables {
        let mut new = new_table(name);
        new.tenant = tenant.parse().expect("a good name");
        new.turns = vec![wanted(1, after)];
        f.store.create(new).await.expect("it is created");
    }
    f.at(10);
    let names =
        |due: &[TurnDue]| due.iter().map(|due| due.lease.table.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&f.claim(2).await), ["a1", "b1"]);
    let best = Tenants::One("best".parse().expect("a good name"));
    assert_eq!(f.store.claim_turns(claim_of(best, &[0], 9)).await, Ok(Vec::new()));
    let acme = Tenants::One("acme".parse().expect("a good name"));
    let due = f.store.claim_turns(claim_of(acme, &[0], 9)).await.expect("it is answered");
    assert_eq!(names(&due), ["a2", "a3"]);
}

pub(super) async fn a_lease_serves_its_own_table(f: Fixture) {
    let (a, b) = (f.create("a").await, f.create("b").await);
    f.owe(&a, &[wanted(1, 0)]).await;
    let held = f.claim(1).await.remove(0);
    let foreign = LeaseUse::Held { lease: held.lease.clone(), length: LEASE };
    let mut using = commit(&b, f.mark(&b).await);
    using.lease = foreign;
    assert_eq!(f.store.commit(using).await, Ok(CommitOutcome::LeaseLost));
    for other in [
        Lease { table: id("b"), ..held.lease.clone() },
        Lease { seat: 2, ..held.lease.clone() },
        Lease { token: handfoot_store::Token(held.lease.token.0 + 1), ..held.lease.clone() },
    ] {
        assert_eq!(renew(&f, &other).await, LeaseOutcome::Lost);
        assert_eq!(f.store.release_turn(&other).await, Ok(LeaseOutcome::Lost));
    }
    assert!(matches!(renew(&f, &held.lease).await, LeaseOutcome::Held { .. }));
}
