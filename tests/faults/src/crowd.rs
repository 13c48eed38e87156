//! Tables that are played while something goes wrong: by bots of the bot-service, and by people
//! that this program plays through the client.
//!
//! **Invariant:** everybody here is a user: nothing is known but what the API says, and it is all
//! written into the ledger.

pub(crate) mod open;
pub(crate) mod person;
pub(crate) mod repeats;
pub(crate) mod watcher;

use std::sync::Arc;
use std::time::{Duration, Instant};

use handfoot_client::PlayClient;
use tokio::task::JoinSet;

use self::open::{Opened, TableOrder};
use self::person::Person;
use self::repeats::Repeats;
use crate::house::House;
use crate::ledger::{Ledger, Notes, Viewer};
use crate::trouble::Trouble;

/// How long a fact may take to come about that is sure to come, on a machine that does other
/// things too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// How the tables of a crowd are played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrowdOrder {
    pub(crate) tables: usize,
    pub(crate) table: TableOrder,
    pub(crate) sending: Sending,
}

/// How people send what they decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sending {
    /// Once, to the replica whose turn it is.
    Once,
    /// At the same time to two replicas.
    Doubled,
}

/// Tables that are played.
#[derive(Debug)]
pub(crate) struct Crowd {
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) tables: Vec<Opened>,
    playing: JoinSet<()>,
    pub(crate) began: Instant,
    /// What was sent again on the connection that everybody here calls through, but for those who
    /// are given another.
    pub(crate) repeats: Arc<Repeats>,
}

impl Crowd {
    /// Opens tables, starts their games, and has them played and watched.
    ///
    /// # Errors
    ///
    /// What the service says.
    pub(crate) async fn gather(house: &House, order: CrowdOrder) -> Result<Crowd, Trouble> {
        let tables = open::open(house, &order).await?;
        let ledger = Arc::new(Ledger::new(tables.len()));
        let repeats = Arc::new(Repeats::default());
        let connection = house.connection_telling(Arc::<Repeats>::clone(&repeats))?;
        let (playing, began) = (JoinSet::new(), Instant::now());
        let mut crowd = Crowd { ledger, tables, playing, began, repeats };
        for index in 0..crowd.tables.len() {
            let Opened { seed, spectator, people, .. } = &crowd.tables[index];
            let client = PlayClient::new(connection.clone(), spectator.clone());
            let (ledger, viewer) = (Arc::clone(&crowd.ledger), Viewer { seat: 0, number: 0 });
            crowd.playing.spawn(watcher::watch(ledger, index, viewer, client));
            for (seat, token) in people {
                let client = PlayClient::new(connection.clone(), token.clone());
                let twice = match order.sending {
                    Sending::Once => None,
                    Sending::Doubled => {
                        let beside = |replica| {
                            let connection = house.connection_to(replica)?;
                            Ok::<_, Trouble>(PlayClient::new(connection, token.clone()))
                        };
                        Some([beside(index % 3)?, beside((index + 1) % 3)?])
                    }
                };
                let person = Person {
                    ledger: Arc::clone(&crowd.ledger),
                    table: index,
                    seat: *seat,
                    seed: seed.wrapping_mul(100).wrapping_add(u64::from(*seat)),
                    client,
                    twice,
                };
                crowd.playing.spawn(person.play());
            }
        }
        Ok(crowd)
    }

    /// Waits until every table has come so far, or is closed.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) async fn until_each(&self, commits: usize) -> Result<(), Trouble> {
        let what = format!("commit {commits} of every table");
        let is_there = |notes: &Notes| notes.is_closed || notes.heard.len() >= commits;
        self.ledger.until(&what, PATIENCE, |ledger| ledger.tables().all(|n| is_there(&n))).await
    }

    /// Waits until every table that is not closed has moved on since a moment.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) async fn moved_on(&self, since: Instant) -> Result<(), Trouble> {
        let is_there = |notes: &Notes| notes.is_closed || notes.n_since(since) >= 2;
        let what = "a commit of every table after the fault";
        self.ledger.until(what, PATIENCE, |ledger| ledger.tables().all(|n| is_there(&n))).await
    }

    /// At how many tables nobody has seen the end.
    pub(crate) fn n_open(&self) -> usize {
        self.ledger.tables().filter(|notes| !notes.is_closed).count()
    }

    /// Waits until all games are over and everybody has seen it; who cannot end is ended.
    pub(crate) async fn finish(&mut self, limit: Duration) {
        let all = async { while self.playing.join_next().await.is_some() {} };
        if tokio::time::timeout(limit, all).await.is_err() {
            // The verdict says which tables are not finished.
            self.playing.shutdown().await;
        }
    }

    /// Adds somebody who does something at the tables until they close.
    pub(crate) fn add(&mut self, somebody: impl Future<Output = ()> + Send + 'static) {
        self.playing.spawn(somebody);
    }

    /// How many tables there are.
    pub(crate) fn n_tables(&self) -> usize {
        self.tables.len()
    }

    /// The id of a table.
    pub(crate) fn id(&self, table: usize) -> &str {
        &self.tables[table].id
    }
}

/// Who sits at a table, by its number: people only, bots only, and both.
pub(crate) fn people_at(number: usize) -> &'static [u32] {
    match number % 4 {
        0 => &[1],
        1 => &[],
        2 => &[2, 3],
        _ => &[1, 2, 3, 4],
    }
}
