//! A third of a cluster that is away, primary and replica, under the setting that `deploy` ships:
//! the other servers go on serving their slots.
//!
//! **Invariant:** what lies elsewhere is played as ever; what lies there is unavailable, and never
//! seems empty or gone.

use futures_util::future::{Either, join_all, select};
use handfoot_store::{
    ClaimTurns, Commit, CreateOutcome, DeadlineChange, ListFilter, Mark, Millis, OutboxCursor,
    OutboxPage, Partition, StoreError, TableId, TableStore, Tenants, TurnDue, TurnWanted,
    TurnsChange, Version, limits::LEASE_MAX,
};
use tokio::time::timeout;

use super::groups::Cluster;
use super::servers::WAIT_MAX;
use super::{Follower, create, insist, mark, mark_of, open_hasty, version_of};
use crate::kit::{self, commit, id, new_table, run, text, wanted};

const ALL: ListFilter = ListFilter { tenants: Tenants::All, state: None };

/// Tables on the servers that stay, and on those that go.
struct Spread {
    here: Vec<TableId>,
    away: Vec<TableId>,
}

impl Spread {
    /// Creates tables on all servers; the first one is to go.
    async fn over(cluster: &Cluster, store: &dyn TableStore) -> Self {
        let (mut here, mut away) = (Vec::new(), Vec::new());
        for number in 0..12 {
            let table = create(store, &format!("t{number}")).await;
            let goes: Vec<String> = cluster.servers[0].ask(&format!("KEYS *:t:{table}"));
            if goes.is_empty() { here.push(table) } else { away.push(table) }
        }
        assert!(!here.is_empty() && !away.is_empty(), "tables are on all servers");
        Self { here, away }
    }

    fn all(&self) -> impl Iterator<Item = &TableId> {
        self.here.iter().chain(&self.away)
    }
}

/// A commit after which a table owes a turn at once, is past its deadline and says something.
fn owing(table: &TableId, at: Mark) -> Commit {
    let turn = TurnWanted { takeable_at: Millis(1), ..wanted(1, 0) };
    Commit {
        turns: TurnsChange::Replace(vec![turn]),
        deadline: DeadlineChange::Set(Millis(1)),
        outbox: vec![text("said")],
        ..commit(table, at)
    }
}

/// For longer than the test takes.
fn claim_of(limit: usize) -> ClaimTurns {
    ClaimTurns { length: LEASE_MAX, ..kit::claim_of(Tenants::All, &[0], limit) }
}

/// Claims turns until this many are held, however many a call gives.
async fn claim(store: &dyn TableStore, n_turns: usize) -> Vec<TurnDue> {
    let claims = async {
        let mut held = Vec::new();
        while held.len() < n_turns {
            let claim = claim_of(n_turns - held.len());
            held.extend(store.claim_turns(claim).await.expect("it is answered"));
        }
        held
    };
    timeout(WAIT_MAX, claims).await.expect("in time")
}

/// Creates one table more, under the first name whose place can be reached.
async fn one_more(store: &dyn TableStore) -> TableId {
    for number in 0.. {
        let name = format!("n{number}");
        match store.create(new_table(&name)).await {
            Ok(created) => {
                assert!(matches!(created, CreateOutcome::Created { .. }), "{created:?}");
                return id(&name);
            }
            Err(StoreError::Unavailable { .. }) => assert!(number < 12, "none is created"),
            Err(other) => panic!("{other:?}"),
        }
    }
    unreachable!("the loop has no end")
}

fn names(tables: impl IntoIterator<Item = TableId>) -> Vec<TableId> {
    let mut tables: Vec<TableId> = tables.into_iter().collect();
    tables.sort();
    tables
}

/// The tables that partitions name, and how many partitions cannot be asked.
fn gathered(answers: Vec<Result<Vec<TableId>, StoreError>>) -> (Vec<TableId>, usize) {
    let (mut found, mut n_away) = (Vec::new(), 0);
    for answer in answers {
        match answer {
            Ok(tables) => found.extend(tables),
            Err(StoreError::Unavailable { .. }) => n_away += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    (found, n_away)
}

fn partitions(store: &dyn TableStore) -> impl Iterator<Item = Partition> {
    (0..store.partitions()).map(Partition)
}

async fn overdue(store: &dyn TableStore) -> (Vec<TableId>, usize) {
    let asks = partitions(store).map(|partition| async move {
        let due = store.deadlines_due(partition, 9).await?;
        Ok(due.into_iter().map(|due| due.table).collect())
    });
    gathered(join_all(asks).await)
}

async fn said(store: &dyn TableStore) -> (Vec<TableId>, usize) {
    let asks = partitions(store).map(|partition| async move {
        match store.outbox(partition, OutboxCursor(0), 9).await? {
            OutboxPage::Entries(said) => Ok(said.into_iter().map(|said| said.table).collect()),
            gone @ OutboxPage::Gone { .. } => panic!("{gone:?}"),
        }
    });
    gathered(join_all(asks).await)
}

fn assert_away<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::Unavailable { .. })), "{answer:?}");
}

#[test]
fn tables_go_on_while_a_third_of_a_cluster_is_away() {
    let mut cluster = Cluster::start_with(&["--cluster-require-full-coverage", "no"]);
    run(async {
        let store = open_hasty(&cluster.url(""));
        let mut tables = Spread::over(&cluster, &*store).await;
        for table in tables.all() {
            let owing = owing(table, mark(&*store, table).await);
            store.commit(owing).await.expect("it stands");
        }
        let mut follower = Follower::of(&*store, &tables.here[0]).await;
        let lost = mark(&*store, &tables.away[0]).await;
        cluster.servers[0].kill();
        cluster.servers[3].kill();

        // Turns of those that are here are found, by who knew them all and by who begins now.
        let held = claim(&*store, tables.here.len()).await;
        let of = |turn: TurnDue| turn.lease.table;
        assert_eq!(names(held.into_iter().map(of)), names(tables.here.clone()));
        let late = open_hasty(&cluster.url(""));
        // A call to what is away tries for longer than a claim waits for it.
        let claimed = late.claim_turns(claim_of(9));
        match select(claimed, store.load(&tables.away[0])).await {
            Either::Left((none, _)) => assert_eq!(none, Ok(Vec::new()), "the others are held"),
            Either::Right((loaded, _)) => panic!("the claim still waits: {loaded:?}"),
        }
        for (found, n_away) in [overdue(&*store).await, said(&*store).await] {
            assert_eq!(names(found), names(tables.here.clone()));
            let n_all = usize::from(store.partitions());
            assert!(n_away.abs_diff(n_all / 3) <= 1, "{n_away} of {n_all} are away");
        }

        // They are played and watched, new ones are created, and a probe says that all is well.
        store.healthy().await.expect("games go on");
        for table in &tables.here {
            let outcome = store.commit(commit(table, mark(&*store, table).await)).await;
            assert_eq!(version_of(&outcome.expect("it stands")), Version(2));
        }
        follower.until(2).await;
        tables.here.push(one_more(&*store).await);

        // What is away is not there for anybody, and no list passes over it.
        let table = &tables.away[0];
        let commit_there = store.commit(commit(table, lost));
        let (loaded, committed) = tokio::join!(store.load(table), commit_there);
        assert_away(&loaded);
        assert_away(&committed);
        let history = store.history(table, Version(1), 9);
        let (told, deleted, listed) =
            tokio::join!(history, store.delete(table), store.list(ALL, None, 99));
        assert_away(&told);
        assert_away(&deleted);
        assert_away(&listed);

        // It comes back with all it had, and its turns are found again.
        cluster.servers[0].start_again();
        cluster.servers[3].start_again();
        for table in &tables.away {
            let outcome = insist(&*store, commit(table, mark_of(&*store, table).await)).await;
            assert_eq!(version_of(&outcome), Version(2));
        }
        let held = claim(&*late, tables.away.len()).await;
        assert_eq!(names(held.into_iter().map(of)), names(tables.away.clone()));
        let listed = store.list(ALL, None, 99).await.expect("it lists").tables;
        let all = names(tables.all().cloned());
        assert_eq!(names(listed.into_iter().map(|table| table.id)), all);
    });
}
