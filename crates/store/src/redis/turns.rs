//! Turns that wait for workers, and their leases.
//!
//! **Invariant:** a claim is a script that checks once more: what was seen before it only says
//! where to ask. Of a turn there is at most one holder, whichever process asks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::Inner;
use super::fault::{Fault, of_some};
use super::keys::Keys;
use super::limits::{CLAIM_TRIES, PARTITIONS_AT_ONCE, PEEK_MAX, TURNS_LOOK_MAX};
use super::link::{Again, Lasting};
use super::reply::{Parts, list, score, text};
use super::scripts::{CLAIM, Call, LEASE, PEEK};
use super::tables::millis;
use super::tags::partitions;
use crate::{
    ClaimTurns, DamagedPart, Lease, LeaseOutcome, Millis, Partition, Queue, StoreError, TableId,
    Tenant, Tenants, Token, TurnDue, Version,
};

/// A turn that can be taken.
#[derive(Clone, Debug, PartialEq)]
struct Open {
    from: f64,
    table: TableId,
    seat: u8,
    queue: Queue,
    tenant: Tenant,
    /// Its name in the sorted set.
    name: String,
    partition: Partition,
}

impl Open {
    fn read(partition: Partition, name: String, from: f64) -> Option<Self> {
        let mut words = name.split(' ');
        let (table, seat) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let (queue, tenant) = (Queue(words.next()?.parse().ok()?), words.next()?.parse().ok()?);
        Some(Self { from, table, seat, queue, tenant, name, partition })
    }
}

impl Inner {
    pub(super) async fn claim(
        &self,
        claim: &ClaimTurns,
        limit: usize,
    ) -> Result<Vec<TurnDue>, StoreError> {
        self.news.wants_work();
        self.look_at_all().await?;
        let mut claimed = Vec::new();
        for _ in 0..CLAIM_TRIES {
            let open = self.peek(claim, limit - claimed.len()).await?;
            if open.is_empty() {
                break;
            }
            let chosen = in_turn(open, limit - claimed.len());
            claimed.extend(self.take(chosen, claim.length).await?);
            if !claimed.is_empty() {
                break;
            }
        }
        Ok(claimed)
    }

    /// Looks at all partitions, if nobody does or has for a while.
    async fn look_at_all(&self) -> Result<(), StoreError> {
        let Some(due) = self.board.look_due().await else { return Ok(()) };
        let looks = partitions().map(|partition| self.look_at_one(partition));
        of_some(join_all(looks).await)?;
        due.done();
        Ok(())
    }

    async fn look_at_one(&self, partition: Partition) -> Result<(), Fault> {
        let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok(()) };
        let told = self.board.told(partition);
        let mut command = redis::cmd("ZRANGE");
        command.arg(keys.turns()).arg(0).arg(0).arg("WITHSCORES");
        let read = timeout(TURNS_LOOK_MAX, self.link.read(partition, command)).await;
        let first = list(read.unwrap_or(Err(Fault::Unknown))?).unwrap_or_default();
        self.board.found(told, first.into_iter().nth(1).and_then(score));
        Ok(())
    }

    /// Turns that can be taken now, so many of each tenant and partition.
    async fn peek(&self, claim: &ClaimTurns, most: usize) -> Result<Vec<Open>, StoreError> {
        let now = match &self.time {
            super::StoreTime::OfRedis => self.board.about_now(),
            super::StoreTime::OfClock(clock) => Some(clock.now()),
        };
        let (mut open, mut peeked) = (Vec::new(), Vec::new());
        for due in self.board.due(now).chunks(PARTITIONS_AT_ONCE) {
            let peeks = due.iter().map(|partition| self.peek_at(*partition, claim, most));
            for found in join_all(peeks).await {
                peeked.push(found.map(|found| open.extend(found)));
            }
            if open.len() >= most {
                break;
            }
        }
        of_some(peeked)?;
        Ok(open)
    }

    async fn peek_at(
        &self,
        partition: Partition,
        claim: &ClaimTurns,
        most: usize,
    ) -> Result<Vec<Open>, Fault> {
        let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok(Vec::new()) };
        let told = self.board.told(partition);
        let queues: Vec<String> = claim.queues.iter().map(|queue| queue.0.to_string()).collect();
        let tenant = match &claim.tenants {
            Tenants::All => "",
            Tenants::One(tenant) => tenant.as_str(),
        };
        let call = Call::new(&PEEK, &[keys.turns()])
            .arg(self.time.told())
            .arg(format!(" {} ", queues.join(" ")))
            .arg(tenant)
            .arg(most)
            .arg(PEEK_MAX);
        let answered = match self.link.call(partition, call, Again::Safe, Lasting::Not).await {
            Ok(answered) => answered,
            Err(fault) => {
                // The next look at all says when it is back; until then nobody waits for it.
                self.board.found(told, None);
                return Err(fault);
            }
        };
        let Some(mut parts) = Parts::of(answered.value) else { return Ok(Vec::new()) };
        if let Some(now) = parts.millis() {
            self.board.heard(now);
        }
        let next = parts.value().and_then(score);
        self.board.found(told, next);
        let mut open = Vec::new();
        while let (Some(name), Some(from)) = (parts.text(), parts.value().and_then(score)) {
            open.extend(Open::read(partition, name, from));
        }
        Ok(open)
    }

    /// Claims turns; gives those that nobody else has taken meanwhile.
    async fn take(&self, chosen: Vec<Open>, length: Duration) -> Result<Vec<TurnDue>, StoreError> {
        let mut of: BTreeMap<Partition, Vec<&Open>> = BTreeMap::new();
        for open in &chosen {
            of.entry(open.partition).or_default().push(open);
        }
        let takes = of.into_iter().map(|(partition, open)| async move {
            let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok(Vec::new()) };
            let mut names = vec![keys.turns(), keys.numbers()];
            names.extend(open.iter().map(|open| keys.state(&open.table)));
            let mut call = Call::new(&CLAIM, &names).arg(self.time.told()).arg(millis(length));
            for open in &open {
                call = call.arg(&open.name);
            }
            // A claim whose answer was lost runs out by itself.
            let answered = self.link.call(partition, call, Again::Never, Lasting::Not).await;
            answered.map(|answered| list(answered.value).unwrap_or_default())
        });
        let taken = of_some(join_all(takes).await)?;
        let leases: BTreeMap<String, _> =
            taken.into_iter().flatten().filter_map(read_claim).collect();
        let due = |open: Open| {
            let (token, until, version) = leases.get(&open.name).copied()?;
            let lease = Lease { table: open.table, seat: open.seat, token };
            Some(TurnDue { lease, until, queue: open.queue, tenant: open.tenant, version })
        };
        Ok(chosen.into_iter().filter_map(due).collect())
    }

    /// Renews a lease, or gives it back.
    pub(super) async fn lease(
        &self,
        lease: &Lease,
        length: Option<Duration>,
    ) -> Result<LeaseOutcome, StoreError> {
        let table = &lease.table;
        let keys = Keys::of_table(self.link.prefix(), table);
        let call = Call::new(&LEASE, &[keys.state(table), keys.turns()])
            .arg(table.as_str())
            .arg(lease.seat)
            .arg(lease.token.0)
            .arg(self.time.told());
        let (call, again) = match length {
            Some(length) => (call.arg(millis(length)), Again::Safe),
            // Given back twice, it would seem lost; it is free either way.
            None => (call.arg(""), Again::Never),
        };
        let answered = self.link.call(keys.partition, call, again, Lasting::Not).await;
        let value = answered.map_err(|fault| fault.of_table(table, DamagedPart::Snapshot))?.value;
        Ok(match text(value).and_then(|text| text.parse().ok()) {
            Some(until) => {
                let until = Millis(until);
                if length.is_none() {
                    self.board.may_be_due(keys.partition, until);
                    let work = keys.work();
                    let mut command = redis::cmd("SPUBLISH");
                    command.arg(work).arg(until.0);
                    let (link, partition) = (self.link.clone(), keys.partition);
                    tokio::spawn(async move { link.read(partition, command).await });
                }
                LeaseOutcome::Held { until }
            }
            None => LeaseOutcome::Lost,
        })
    }
}

fn read_claim(value: redis::Value) -> Option<(String, (Token, Millis, Version))> {
    let mut parts = Parts::of(value)?;
    let name = parts.text()?;
    let (token, until) = (Token(parts.number()?), parts.millis()?);
    Some((name, (token, until, Version(parts.number()?))))
}

/// Each tenant's oldest turns, one tenant after the other.
fn in_turn(open: Vec<Open>, limit: usize) -> Vec<Open> {
    let mut of: BTreeMap<Tenant, Vec<Open>> = BTreeMap::new();
    for turn in open {
        of.entry(turn.tenant.clone()).or_default().push(turn);
    }
    // The oldest last, where it is taken from.
    let before = |a: &Open, b: &Open| {
        let by_time = a.from.total_cmp(&b.from);
        by_time.then_with(|| (&a.table, a.seat).cmp(&(&b.table, b.seat)))
    };
    let mut shares: Vec<Vec<Open>> = of.into_values().collect();
    for share in &mut shares {
        share.sort_by(|a, b| before(b, a));
    }
    shares.sort_by(|a, b| match (a.last(), b.last()) {
        (Some(a), Some(b)) => before(a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    });
    let mut chosen = Vec::new();
    let mut names = BTreeSet::new();
    while chosen.len() < limit {
        let before = chosen.len();
        let round = shares.iter_mut().filter_map(Vec::pop).take(limit - before);
        chosen.extend(round.filter(|open| names.insert(open.name.clone())));
        if chosen.len() == before {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::board::score_of;

    #[test]
    fn tenants_are_served_in_turn_and_each_by_age() {
        let open = |name: &str, from: u64| {
            Open::read(Partition(0), name.to_owned(), score_of(Millis(from))).unwrap()
        };
        let rows = [
            open("a3 001 0 acme", 2),
            open("a1 001 0 acme", 0),
            open("b1 001 0 best", 5),
            open("a2 002 0 acme", 1),
            open("a2 001 0 acme", 1),
        ];
        let names = |limit: usize| {
            let chosen = in_turn(rows.to_vec(), limit).into_iter();
            chosen.map(|open| format!("{}/{}", open.table, open.seat)).collect::<Vec<_>>()
        };
        assert_eq!(names(2), ["a1/1", "b1/1"]);
        assert_eq!(names(9), ["a1/1", "b1/1", "a2/1", "a2/2", "a3/1"]);
        assert!(names(0).is_empty());
    }
}
