//! How many tables there are, and the end of those that nobody has touched for long.
//!
//! **Invariant:** a table is taken away only if its last commit is as old as the address says, and
//! the script that takes it away looks once more. Every process sweeps; twice is harmless.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::keys::{Keys, read_place};
use super::limits::{COUNT_AGE_MAX, SWEEP_EVERY, SWEEP_MAX};
use super::link::Lasting;
use super::lists::Counted;
use super::reply::{list, text};
use super::tags::{PARTITIONS, partitions};
use super::{Inner, lock};
use crate::decide::check_room;
use crate::{Confirmed, Deleted, Millis, Partition, StoreError, TableId, Version};

/// How many tables there are, as last counted, and how long they are kept.
#[derive(Debug)]
pub(super) struct Count {
    /// When it was counted, and what came of it, with what this process has done since.
    counted: Mutex<Option<(Instant, usize)>>,
    retain: Option<Duration>,
}

impl Count {
    pub(super) const fn new(retain: Option<Duration>) -> Self {
        Self { counted: Mutex::new(None), retain }
    }

    pub(super) fn one_more(&self) {
        if let Some((_, count)) = lock(&self.counted).as_mut() {
            *count += 1;
        }
    }

    pub(super) fn one_less(&self) {
        if let Some((_, count)) = lock(&self.counted).as_mut() {
            *count = count.saturating_sub(1);
        }
    }

    /// Takes a count, and gives the one to go by. One of some tables only says that there are no
    /// fewer.
    fn is_counted(&self, (count, counted): (usize, Counted)) -> usize {
        let mut last = lock(&self.counted);
        let count = match (counted, *last) {
            (Counted::Some, Some((_, before))) => count.max(before),
            (Counted::Some, None) | (Counted::All, _) => count,
        };
        *last = Some((Instant::now(), count));
        count
    }

    fn fresh(&self) -> Option<usize> {
        lock(&self.counted).filter(|(at, _)| at.elapsed() < COUNT_AGE_MAX).map(|(_, count)| count)
    }
}

impl Inner {
    /// Refuses one table too many. A table that is there is not one more.
    ///
    /// What other processes create within two seconds is not seen.
    pub(super) async fn check_room(&self, table: &TableId) -> Result<(), StoreError> {
        let count = match self.count.fresh() {
            Some(count) => count,
            None => {
                let counted = self.count_tables().await?;
                self.count.is_counted(counted)
            }
        };
        let Err(full) = check_room(count, self.limits.tables) else { return Ok(()) };
        match self.look(table, None).await? {
            Confirmed::Changed(_) | Confirmed::Unchanged { .. } => Ok(()),
            Confirmed::NotFound => Err(full),
        }
    }

    /// Takes away all tables that nobody has touched for long; gives how many.
    pub(super) async fn sweep_all(&self) -> Result<usize, StoreError> {
        let Some(retain) = self.count.retain else { return Ok(0) };
        let mut n_gone = 0;
        for partition in partitions() {
            let mut after = None;
            loop {
                let (gone, last) = self.sweep_partition(partition, after, retain).await?;
                n_gone += gone;
                if last.is_none() {
                    break;
                }
                after = last;
            }
        }
        Ok(n_gone)
    }

    /// Takes away the tables of one partition that nobody has touched for long; gives how many, and
    /// where to go on, unless that was the end.
    async fn sweep_partition(
        &self,
        partition: Partition,
        after: Option<String>,
        retain: Duration,
    ) -> Result<(usize, Option<String>), StoreError> {
        let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok((0, None)) };
        let mut command = redis::cmd("ZREVRANGEBYLEX");
        // The oldest come last, so they are looked at first.
        let most = after.map_or_else(|| "[a~".to_owned(), |last| format!("({last}"));
        command.arg(keys.lists()).arg(most).arg("[a").arg("LIMIT").arg(0).arg(SWEEP_MAX);
        let found = self.link.read(partition, command).await.map_err(|fault| fault.of_all())?;
        let places: Vec<String> =
            list(found).unwrap_or_default().into_iter().filter_map(text).collect();
        let id = |place: &String| Some(read_place(place.strip_prefix('a')?)?.id);
        let ids: Vec<TableId> = places.iter().filter_map(id).collect();
        let now = self.now(partition).await?;
        let before = Millis(now.0.saturating_sub(super::tables::millis(retain)));
        let heads = self.heads(&ids, &["v", "a"], Lasting::Not).await?;
        let mut n_gone = 0;
        for (table, head) in ids.iter().zip(heads) {
            let read = head.and_then(|mut head| Some((Version(head.number()?), head.millis()?)));
            let Some((version, at)) = read else { continue };
            if at >= before {
                continue;
            }
            if self.delete_if(table, Some((version, before))).await? == Deleted::Gone {
                self.bells.end(table);
                n_gone += 1;
                tracing::info!(%table, "a table that nobody has touched for long is taken away");
            }
        }
        Ok((n_gone, places.last().filter(|_| places.len() == SWEEP_MAX).cloned()))
    }

    /// The store's time.
    async fn now(&self, partition: Partition) -> Result<Millis, StoreError> {
        let clock = match &self.time {
            super::StoreTime::OfClock(clock) => return Ok(clock.now()),
            super::StoreTime::OfRedis => redis::cmd("TIME"),
        };
        let value = self.link.read(partition, clock).await.map_err(|fault| fault.of_all())?;
        let mut parts =
            list(value).unwrap_or_default().into_iter().filter_map(super::reply::number);
        let (seconds, micros) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        Ok(Millis(seconds.saturating_mul(1_000).saturating_add(micros / 1_000)))
    }
}

/// Sweeps one partition after the other, for ever.
pub(super) async fn sweep(inner: Arc<Inner>) {
    let Some(retain) = inner.count.retain else { return };
    let mut tick = interval(SWEEP_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut goes_on: BTreeMap<Partition, String> = BTreeMap::new();
    // Processes begin at different places, so that they share the work.
    let first = std::process::id() % u32::from(PARTITIONS);
    let first = usize::try_from(first).unwrap_or(0);
    for partition in partitions().collect::<Vec<_>>().into_iter().cycle().skip(first) {
        tick.tick().await;
        let after = goes_on.remove(&partition);
        match inner.sweep_partition(partition, after, retain).await {
            Ok((_, Some(last))) => {
                goes_on.insert(partition, last);
            }
            Ok((_, None)) => {}
            Err(error) => tracing::debug!(?error, "a sweep is put off"),
        }
    }
}
