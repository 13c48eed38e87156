//! The store's time and what is due by it.
//!
//! **Invariant:** times come from the store's clock; in a table they never go back.

use handfoot_store::{
    CommitOutcome, DeadlineChange, DeadlineDue, Millis, Partition, TableId, Version,
};

use crate::kit::{Fixture, START, commit, id, new_table};

async fn change(f: &Fixture, table: &TableId, deadline: DeadlineChange) {
    let mut changing = commit(table, f.mark(table).await);
    changing.deadline = deadline;
    f.stand(changing).await;
}

pub(super) async fn time_does_not_go_back_in_a_table(mut f: Fixture) {
    let table = f.create("a").await;
    let mut times = Vec::new();
    for now in [500, 100, 499, 600, 0, 601] {
        f.at(now);
        let mark = f.mark(&table).await;
        let outcome = f.store.commit(commit(&table, mark)).await;
        let Ok(CommitOutcome::Committed { at, .. }) = outcome else { panic!("{outcome:?}") };
        times.push(at.0 - START.0);
        let loaded = f.store.load(&table).await.expect("it loads").expect("it is there");
        assert!(loaded.now >= loaded.at);
    }
    assert_eq!(times, [500, 500, 500, 600, 600, 601]);
    f.clock.set(Millis(0));
    if f.survives_a_restart() {
        f.reopen().await;
    }
    let mark = f.mark(&table).await;
    let at = Millis(START.0 + 601);
    let outcome = f.store.commit(commit(&table, mark)).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed { version: Version(7), at }));
    // Another table has its own time.
    let created = f.store.create(new_table("b")).await;
    assert_eq!(created, Ok(handfoot_store::CreateOutcome::Created { at: Millis(0) }));
}

pub(super) async fn a_deadline_is_set_kept_and_cleared(mut f: Fixture) {
    let mut new = new_table("a");
    new.deadline = Some(Millis(START.0 + 100));
    f.store.create(new).await.expect("it is created");
    let table = id("a");
    let entry = |millis: u64, version: u64| DeadlineDue {
        table: id("a"),
        deadline: Millis(START.0 + millis),
        version: Version(version),
    };
    f.at(99);
    assert_eq!(f.due().await, []);
    f.at(100);
    assert_eq!(f.due().await, [entry(100, 0)]);
    change(&f, &table, DeadlineChange::Set(Millis(START.0 + 300))).await;
    assert_eq!(f.due().await, []);
    change(&f, &table, DeadlineChange::Keep).await;
    if f.survives_a_restart() {
        f.reopen().await;
    }
    f.at(300);
    // It stays due until a commit changes it.
    assert_eq!(f.due().await, [entry(300, 2)]);
    assert_eq!(f.due().await, [entry(300, 2)]);
    change(&f, &table, DeadlineChange::Clear).await;
    f.at(10_000);
    assert_eq!(f.due().await, []);
}

pub(super) async fn deadlines_come_oldest_first(f: Fixture) {
    for (name, millis) in [("a", 300), ("b", 100), ("c", 200), ("d", 900), ("e", 100)] {
        let mut new = new_table(name);
        new.deadline = Some(Millis(START.0 + millis));
        f.store.create(new).await.expect("it is created");
    }
    f.at(500);
    let names = |due: &[DeadlineDue]| {
        due.iter().map(|due| due.table.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&f.due().await), ["b", "e", "c", "a"]);
    assert_eq!(f.store.deadlines_due(Partition(f.store.partitions()), 9).await, Ok(Vec::new()));
}
