//! A scenario from the first table to the verdict.
//!
//! **Invariant:** every scenario ends in the same verdict; what is its own is what it does to the
//! house, and what it must have seen to show anything.

use std::time::{Duration, Instant};

use handfoot_client::ClientError;
use handfoot_processes::redis::Server;
use handfoot_protocol::v1::ServiceReason;
use handfoot_protocol::{Reason, v1};

use crate::crowd::open::{TableOrder, create};
use crate::crowd::{Crowd, CrowdOrder, PATIENCE, Sending};
use crate::evidence::{self, Evidence};
use crate::figures::{Figures, figures};
use crate::house::place::Place;
use crate::house::{House, Order};
use crate::ledger::Notes;
use crate::setting::{Setting, Size};
use crate::trouble::Trouble;
use crate::verdict::{self, Expect, Finding};

/// How much longer every table may take until all games are over.
const PER_TABLE: Duration = Duration::from_secs(1);

/// What came of a scenario.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) findings: Vec<Finding>,
    pub(crate) figures: Figures,
}

/// A house with games under way.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) house: House,
    pub(crate) crowd: Crowd,
    /// When the first fault was made.
    struck: Option<Instant>,
    /// At how many tables games were under way, at the fault that found the fewest.
    fewest_open: usize,
    /// What should be there and is not, beside what the verdict finds.
    own: Vec<Finding>,
    counts: Vec<(&'static str, u64)>,
}

/// How games are played in a scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Play {
    /// How long a bot takes for a visible action at least.
    pub(crate) pace: Duration,
    pub(crate) sending: Sending,
    /// Rounds of a game in the short form; the long form has as many.
    pub(crate) rounds: u32,
}

impl Play {
    /// One round, as fast as it goes.
    pub(crate) const FAST: Play = Play { pace: Duration::ZERO, sending: Sending::Once, rounds: 1 };

    /// One round with bots that take their time, so that a fault falls into their turns.
    pub(crate) const SLOW: Play = Play { pace: Duration::from_millis(30), ..Play::FAST };
}

/// A table that nobody plays at.
#[derive(Debug)]
pub(crate) struct Apart {
    table_id: String,
}

impl Scene {
    /// Builds a house and has games played in it.
    ///
    /// # Errors
    ///
    /// Says what does not stand.
    pub(crate) async fn open(
        setting: &Setting,
        order: Order,
        play: Play,
    ) -> Result<Scene, Trouble> {
        let house = House::build(setting, order).await?;
        let table = TableOrder { rounds: play.rounds, pace: play.pace };
        let order = CrowdOrder { tables: setting.tables, table, sending: play.sending };
        let crowd = Crowd::gather(&house, order).await?;
        let (own, counts, fewest_open) = (Vec::new(), Vec::new(), crowd.n_tables());
        Ok(Scene { house, crowd, struck: None, fewest_open, own, counts })
    }

    /// Waits until games are well under way.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) async fn under_way(&self) -> Result<(), Trouble> {
        self.crowd.until_each(20).await
    }

    /// A fault is about to be made. It shows nothing if no game is under way.
    pub(crate) fn strike(&mut self) -> Instant {
        let n_open = self.crowd.n_open();
        self.must("every game was over before the fault", n_open > 0);
        self.fewest_open = self.fewest_open.min(n_open);
        let now = Instant::now();
        self.struck.get_or_insert(now);
        now
    }

    /// Says what a scenario has to see, so that it shows something.
    pub(crate) fn must(&mut self, what: &str, is_so: bool) {
        if !is_so {
            self.own.push(Finding::Own(what.to_owned()));
        }
    }

    /// Counts something of the scenario's own.
    pub(crate) fn count(&mut self, what: &'static str, n: u64) {
        self.counts.push((what, n));
    }

    /// Waits for the ends of all games, and judges.
    ///
    /// # Errors
    ///
    /// If the store or the services cannot be asked at all.
    pub(crate) async fn end(self, expect: &Expect) -> Result<Tried, Trouble> {
        self.end_with(expect, |_, _| ()).await
    }

    /// The same, after a look of the scenario's own at what is there.
    ///
    /// # Errors
    ///
    /// If the store or the services cannot be asked at all.
    pub(crate) async fn end_with(
        mut self,
        expect: &Expect,
        look: impl FnOnce(&mut Scene, &Evidence),
    ) -> Result<Tried, Trouble> {
        let limit = PATIENCE + PER_TABLE * u32::try_from(self.crowd.n_tables()).unwrap_or(u32::MAX);
        self.crowd.finish(limit).await;
        let evidence = evidence::collect(&self.house, &self.crowd).await?;
        look(&mut self, &evidence);
        Ok(self.judge(&evidence, expect))
    }

    fn judge(self, evidence: &Evidence, expect: &Expect) -> Tried {
        let found = verdict::judge(evidence, expect);
        let mut tried = self.judge_nothing(evidence);
        tried.findings.splice(0..0, found);
        tried
    }

    /// What came of a scenario that has judged by itself.
    pub(crate) fn judge_nothing(self, evidence: &Evidence) -> Tried {
        let notes = evidence.tables.iter().map(|table| &table.notes);
        let struck = self.struck.unwrap_or(self.crowd.began);
        let mut figures = figures(&notes, self.crowd.began, struck);
        figures.lost = verdict::n_lost(evidence);
        figures.repeated_calls = self.crowd.repeats.n();
        figures.counts.extend(self.counts);
        figures.counts.insert("games under way at each fault, at least", self.fewest_open as u64);
        Tried { findings: self.own, figures }
    }

    /// How many of all tables' notes there are of something.
    pub(crate) fn sum(&self, of: impl Fn(&Notes) -> u64) -> u64 {
        self.crowd.ledger.tables().map(|notes| of(&notes)).sum()
    }

    /// Sets a table apart that nobody plays at, for changes that have to fail.
    ///
    /// # Errors
    ///
    /// What the service says.
    pub(crate) async fn set_apart(&self) -> Result<Apart, Trouble> {
        let order = TableOrder { rounds: 1, pace: Duration::ZERO };
        Ok(Apart { table_id: create(&self.house.platform()?, order, 1).await? })
    }

    /// Waits until callers notice: a change fails that this program asks for, after all that its
    /// client does.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) async fn noticed(&self, apart: &Apart) -> Result<(), Trouble> {
        self.until_a_change_fails(apart, |_| true).await
    }

    /// Waits until a change fails because too few replicas confirm it.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) async fn unconfirmed(&self, apart: &Apart) -> Result<(), Trouble> {
        let unconfirmed = Some(Reason::Service(ServiceReason::CommitUnconfirmed));
        self.until_a_change_fails(apart, |error| error.reason() == unconfirmed).await
    }

    async fn until_a_change_fails(
        &self,
        apart: &Apart,
        is_it: impl Fn(&ClientError) -> bool,
    ) -> Result<(), Trouble> {
        let platform = self.house.platform()?;
        let fails = async {
            // Somebody else each time, so that each time something is to be written.
            for number in 0_u64.. {
                let person = v1::Person { player_id: number.to_string(), ..Default::default() };
                let occupancy = Some(v1::set_seat_request::Occupancy::Person(person));
                let table_id = apart.table_id.clone();
                let set = v1::SetSeatRequest { table_id, seat: 1, occupancy, ..Default::default() };
                if platform.seat(set).await.is_err_and(|error| is_it(&error)) {
                    break;
                }
            }
        };
        let late = |_| Trouble::Late("a call that fails".to_owned());
        tokio::time::timeout(PATIENCE, fails).await.map_err(late)
    }

    /// The one server that was ordered.
    ///
    /// # Errors
    ///
    /// `Own` if others were.
    pub(crate) fn redis(&mut self) -> Result<&mut Server, Trouble> {
        match &mut self.house.place {
            Place::Alone(server) => Ok(server),
            Place::Watched(_) | Place::Cluster(_) => {
                Err(Trouble::Own("one server was to be ordered".to_owned()))
            }
        }
    }

    /// How often something is done: once, or so often in the long form.
    pub(crate) fn times(&self, long: usize) -> usize {
        match self.house.setting.size {
            Size::Short => 1,
            Size::Long => long,
        }
    }
}
