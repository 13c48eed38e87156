//! Creating, committing, deleting.
//!
//! **Invariant:** the id is found before the version is compared, and what is refused has no
//! effect.

use handfoot_store::{
    BodyHash, CommitOutcome, Confirmed, CreateOutcome, DeadlineChange, Deleted, History,
    ListFilter, ListedState, ListingChange, Loaded, Mark, Millis, RequestId, Tenants, Version,
    Woken,
};

use crate::kit::{
    Fixture, START, answering, assert_entries, chain, commit, id, new_table, request, text, wanted,
};

const NOTHING: Mark = Mark { version: Version(0), chain: chain_zero() };

const fn chain_zero() -> handfoot_store::Chain {
    handfoot_store::Chain([0; 16])
}

pub(super) async fn a_new_table_is_version_zero(f: Fixture) {
    let created = f.store.create(new_table("a")).await;
    assert_eq!(created, Ok(CreateOutcome::Created { at: START }));
    f.at(50);
    let mark = Mark { version: Version(0), chain: chain(0) };
    let now = Millis(START.0 + 50);
    let loaded = Loaded { mark, at: START, now, snapshot: text("snapshot 0") };
    assert_eq!(f.store.load(&id("a")).await, Ok(Some(loaded)));
    assert_eq!(f.store.confirm(&id("a"), mark).await, Ok(Confirmed::Unchanged { now }));
    let history = f.store.history(&id("a"), Version(0), 10).await;
    assert_eq!(history, Ok(History::Entries(Vec::new())));
}

pub(super) async fn a_create_request_is_answered_once(f: Fixture) {
    let table = f.create("a").await;
    f.play(&table, 3).await;
    let mut again = new_table("a");
    again.snapshot = text("another");
    again.request.answer = text("another");
    let first = CreateOutcome::Duplicate { answer: text("created") };
    assert_eq!(f.store.create(again.clone()).await, Ok(first));
    again.request.body = BodyHash([9; 16]);
    assert_eq!(f.store.create(again.clone()).await, Ok(CreateOutcome::Reused));
    again.request.id = RequestId([9; 16]);
    assert_eq!(f.store.create(again).await, Ok(CreateOutcome::Exists));
    assert_eq!(f.mark(&table).await.version, Version(3));
}

pub(super) async fn a_commit_replaces_the_snapshot_and_appends(f: Fixture) {
    let table = f.create("a").await;
    f.at(7);
    let mark = f.mark(&table).await;
    let outcome = f.store.commit(commit(&table, mark)).await;
    let at = Millis(START.0 + 7);
    assert_eq!(outcome, Ok(CommitOutcome::Committed { version: Version(1), at }));
    let mark = Mark { version: Version(1), chain: chain(1) };
    let loaded = Loaded { mark, at, now: at, snapshot: text("snapshot 1") };
    assert_eq!(f.store.load(&table).await, Ok(Some(loaded)));
    let Ok(History::Entries(entries)) = f.store.history(&table, Version(0), 10).await else {
        panic!("the log is there");
    };
    assert_entries(&entries, 1, 1);
    assert_eq!(entries[0].at, at);
}

pub(super) async fn a_conflict_gives_what_stands_now(f: Fixture) {
    let table = f.create("a").await;
    let old = f.mark(&table).await;
    let mark = f.play(&table, 2).await;
    let loaded = Loaded { mark, at: START, now: START, snapshot: text("snapshot 2") };
    let outcome = f.store.commit(commit(&table, old)).await;
    assert_eq!(outcome, Ok(CommitOutcome::Conflict(loaded.clone())));
    let ahead = Mark { version: Version(9), chain: mark.chain };
    let outcome = f.store.commit(commit(&table, ahead)).await;
    assert_eq!(outcome, Ok(CommitOutcome::Conflict(loaded.clone())));
    assert_eq!(f.store.confirm(&table, old).await, Ok(Confirmed::Changed(loaded)));
}

pub(super) async fn a_glance_gives_what_the_next_step_is_taken_from(f: Fixture) {
    assert_eq!(f.store.glance(&id("a")).await, Ok(None));
    let table = f.create("a").await;
    for version in 0..3 {
        let glanced = f.store.glance(&table).await.expect("it is answered").expect("it is there");
        let mark = Mark { version: Version(version), chain: chain(version) };
        assert_eq!((glanced.mark, glanced.at), (mark, START));
        assert_eq!(glanced.snapshot, text(&format!("snapshot {version}")));
        f.stand(commit(&table, glanced.mark)).await;
    }
    f.store.delete(&table).await.expect("it is deleted");
    assert_eq!(f.store.glance(&table).await, Ok(None));
}

/// Fault list: R102.
pub(super) async fn a_wrong_chain_is_a_conflict(f: Fixture) {
    let table = f.create("a").await;
    let mark = f.play(&table, 1).await;
    let other = Mark { chain: chain(99), ..mark };
    let outcome = f.store.commit(commit(&table, other)).await;
    assert!(matches!(outcome, Ok(CommitOutcome::Conflict(now)) if now.mark == mark));
    let confirmed = f.store.confirm(&table, other).await;
    assert!(matches!(confirmed, Ok(Confirmed::Changed(now)) if now.mark == mark));
}

pub(super) async fn a_repeated_request_gets_the_first_answer(f: Fixture) {
    let table = f.create("a").await;
    let mark = f.mark(&table).await;
    f.stand(answering(&table, mark, request(1, 5, 1))).await;
    let later = f.play(&table, 3).await;
    let first = CommitOutcome::Duplicate { version: Version(1), answer: text("answer 5") };
    // With the version it had, with that of now, with one from nowhere.
    let ahead = Mark { version: Version(1_000), chain: chain(1_000) };
    for expected in [mark, later, ahead] {
        let mut again = answering(&table, expected, request(1, 5, 1));
        again.request.as_mut().expect("it has one").answer = text("another");
        assert_eq!(f.store.commit(again).await.as_ref(), Ok(&first));
    }
    assert_eq!(f.mark(&table).await, later);
}

pub(super) async fn a_reused_id_is_refused(f: Fixture) {
    let table = f.create("a").await;
    let mark = f.mark(&table).await;
    f.stand(answering(&table, mark, request(1, 5, 1))).await;
    let now = f.mark(&table).await;
    for expected in [mark, now] {
        let other = answering(&table, expected, request(1, 5, 2));
        assert_eq!(f.store.commit(other).await, Ok(CommitOutcome::Reused { version: now.version }));
    }
    assert_eq!(f.mark(&table).await, now);
}

pub(super) async fn ids_belong_to_table_and_seat(f: Fixture) {
    let (a, b) = (f.create("a").await, f.create("ab").await);
    let first = request(1, 5, 1);
    f.stand(answering(&a, f.mark(&a).await, first.clone())).await;
    let mut other_seat = request(2, 5, 1);
    other_seat.id = first.id;
    assert_eq!(f.stand(answering(&a, f.mark(&a).await, other_seat)).await, Version(2));
    assert_eq!(f.stand(answering(&b, f.mark(&b).await, first)).await, Version(1));
}

/// Fault list: R56.
pub(super) async fn a_refused_commit_changes_nothing(f: Fixture) {
    let table = f.create("a").await;
    let old = f.mark(&table).await;
    let mark = f.play(&table, 2).await;
    let before = f.store.load(&table).await;
    let mut refused = answering(&table, old, request(1, 5, 1));
    refused.deadline = DeadlineChange::Set(START);
    refused.turns = handfoot_store::TurnsChange::Replace(vec![wanted(1, 0)]);
    refused.outbox = vec![text("said")];
    refused.listing = ListingChange::Set { state: ListedState(9), summary: text("x") };
    refused.trim = handfoot_store::Trim::Before(Version(99));
    assert!(matches!(f.store.commit(refused.clone()).await, Ok(CommitOutcome::Conflict(_))));

    assert_eq!(f.store.load(&table).await, before);
    assert_eq!(f.due().await, []);
    assert_eq!(f.claim(10).await, Vec::new());
    assert_eq!(f.said(10).await, []);
    let Ok(History::Entries(entries)) = f.store.history(&table, Version(1), 10).await else {
        panic!("the log is there");
    };
    assert_entries(&entries, 1, 2);
    // Nor is the request remembered: it is played when it comes with the right version.
    refused.expected = mark;
    assert_eq!(f.stand(refused).await, Version(3));
}

pub(super) async fn forgotten_ids_cannot_play_twice(mut f: Fixture) {
    let table = f.create("a").await;
    let first = f.mark(&table).await;
    let mut marks = Vec::new();
    for number in 0..130 {
        let mark = f.mark(&table).await;
        marks.push(mark);
        f.stand(answering(&table, mark, request(1, number, 1))).await;
        // Commits without a request do not push any out.
        f.play(&table, 1).await;
    }
    let stands = f.mark(&table).await;
    for pass in 0..2 {
        for number in 0..130_u64 {
            let expected = marks[usize::try_from(number).expect("few")];
            let outcome = f.store.commit(answering(&table, expected, request(1, number, 1))).await;
            match outcome.expect("it is answered") {
                CommitOutcome::Conflict(now) => {
                    assert!(number < 2, "{number} is remembered");
                    assert_eq!(now.mark, stands);
                }
                CommitOutcome::Duplicate { version, answer } => {
                    assert!(number >= 2, "{number} is forgotten");
                    assert_eq!(version, Version(2 * number + 1));
                    assert_eq!(answer, text(&format!("answer {number}")));
                }
                other @ (CommitOutcome::Committed { .. }
                | CommitOutcome::Reused { .. }
                | CommitOutcome::LeaseLost
                | CommitOutcome::NotFound) => panic!("{other:?}"),
            }
        }
        if pass == 0 && f.survives_a_restart() {
            f.reopen().await;
        }
    }
    assert_eq!(f.mark(&table).await, stands);
    assert_ne!(stands, first);
}

pub(super) async fn no_such_table(f: Fixture) {
    f.create("b").await;
    for name in ["a", "b-", "bb"] {
        let table = id(name);
        assert_eq!(f.store.load(&table).await, Ok(None));
        assert_eq!(f.store.confirm(&table, NOTHING).await, Ok(Confirmed::NotFound));
        let outcome = f.store.commit(answering(&table, NOTHING, request(1, 1, 1))).await;
        assert_eq!(outcome, Ok(CommitOutcome::NotFound));
        assert_eq!(f.store.history(&table, Version(0), 1).await, Ok(History::NotFound));
        assert!(f.store.watch(&table).await.expect("it is answered").is_none());
        assert_eq!(f.store.delete(&table).await, Ok(Deleted::NotFound));
    }
}

pub(super) async fn a_deleted_table_leaves_nothing(f: Fixture) {
    let (table, beside) = (f.create("a").await, f.create("a-1").await);
    f.play(&beside, 2).await;
    f.play(&table, 3).await;
    let mut full = answering(&table, f.mark(&table).await, request(1, 5, 1));
    full.deadline = DeadlineChange::Set(START);
    full.turns = handfoot_store::TurnsChange::Replace(vec![wanted(1, 0)]);
    f.stand(full).await;
    let mut watcher = f.store.watch(&table).await.expect("watched").expect("it is there");
    assert!(matches!(watcher.next().await, Woken::News(_)));
    let lease = f.claim(1).await.remove(0).lease;

    assert_eq!(f.store.delete(&table).await, Ok(Deleted::Gone));
    assert_eq!(watcher.next().await, Woken::Ended);
    assert_eq!(f.store.delete(&table).await, Ok(Deleted::NotFound));
    assert_eq!(f.store.load(&table).await, Ok(None));
    assert_eq!(f.store.history(&table, Version(1), 9).await, Ok(History::NotFound));
    assert_eq!(f.due().await, []);
    assert_eq!(f.claim(9).await, Vec::new());
    let lost = f.store.release_turn(&lease).await;
    assert_eq!(lost, Ok(handfoot_store::LeaseOutcome::Lost));
    let filter = ListFilter { tenants: Tenants::All, state: None };
    let page = f.store.list(filter, None, 9).await.expect("it lists");
    assert_eq!(page.tables.iter().map(|t| t.id.as_str()).collect::<Vec<_>>(), ["a-1"]);
    assert_eq!(f.mark(&beside).await.version, Version(2));

    // One of the same name begins anew: nothing of the old one is remembered.
    let again = f.create("a").await;
    assert_eq!(f.store.history(&again, Version(1), 9).await, Ok(History::Entries(Vec::new())));
    assert_eq!(
        f.stand(answering(&again, f.mark(&again).await, request(1, 5, 1))).await,
        Version(1)
    );
}
