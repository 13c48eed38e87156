//! Calls about many tables: lists, deadlines, the outbox, and whether all is well.
//!
//! **Invariant:** a list is merged from all partitions, in one order; what it shows of a table is
//! read from the table. A damaged table is left out, and spoils no list.

use std::collections::{BTreeMap, VecDeque};

use futures_util::future::join_all;
use redis::Value;

use super::Inner;
use super::fault::of_some;
use super::keys::{Keys, list_name, place, read_place};
use super::limits::RETRY_AFTER;
use super::link::{Again, Lasting};
use super::reply::{Parts, entry, entry_number, list, text};
use super::scripts::{Call, DUE, HEADS, SAID};
use super::seal::Place;
use super::tags::{PARTITIONS, partition_of, partitions};
use crate::limits::LIST_SCAN_MAX;
use crate::{
    DamagedPart, DeadlineDue, ListCursor, ListFilter, ListPage, ListedState, ListedTable, Millis,
    OutboxCursor, OutboxEntry, OutboxPage, Partition, StoreError, TableId, Tenants, Version,
};

/// What is read of each table for a list.
const LISTED: [&str; 6] = ["v", "t", "s", "y", "k", "a"];

/// Whether a count is of all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    All,
    /// Some servers could not be asked.
    Some,
}

/// The places of one partition, as far as they are read.
#[derive(Debug, Default)]
struct Share {
    places: VecDeque<String>,
    /// The last place that was read.
    last: Option<String>,
    is_whole: bool,
}

impl Inner {
    pub(super) async fn list(
        &self,
        filter: &ListFilter,
        after: Option<&ListCursor>,
        limit: usize,
    ) -> Result<ListPage, StoreError> {
        let name = list_name(filter);
        let from = after.map(place);
        let mut shares: Vec<Share> = Vec::new();
        shares.resize_with(usize::from(PARTITIONS), Share::default);
        let chunk = 2 + 2 * limit / usize::from(PARTITIONS);
        let all: Vec<usize> = (0..shares.len()).collect();
        self.read_shares(&name, from.as_deref(), &mut shares, &all, chunk).await?;
        let mut page = ListPage { tables: Vec::new(), next: None };
        let mut n_looked_at = 0;
        while page.tables.len() < limit && n_looked_at < LIST_SCAN_MAX {
            let most = (limit - page.tables.len()).min(LIST_SCAN_MAX - n_looked_at);
            let mut ids = Vec::new();
            while ids.len() < most {
                let empty =
                    |(_, share): &(usize, &Share)| share.places.is_empty() && !share.is_whole;
                let wanting: Vec<usize> =
                    shares.iter().enumerate().filter(empty).map(|(at, _)| at).collect();
                if !wanting.is_empty() {
                    self.read_shares(&name, from.as_deref(), &mut shares, &wanting, limit).await?;
                }
                let first = |share: &&mut Share| share.places.front().cloned();
                let Some(share) =
                    shares.iter_mut().filter(|s| !s.places.is_empty()).min_by_key(first)
                else {
                    break;
                };
                let Some(read) = share.places.pop_front().and_then(|text| read_place(&text)) else {
                    continue;
                };
                ids.push(read.id.clone());
                page.next = Some(read);
            }
            if ids.is_empty() {
                break;
            }
            n_looked_at += ids.len();
            for table in self.listed(&ids).await? {
                let is_tenant = match &filter.tenants {
                    Tenants::All => true,
                    Tenants::One(tenant) => *tenant == table.tenant,
                };
                if is_tenant && filter.state.is_none_or(|state| state == table.state) {
                    page.tables.push(table);
                }
            }
        }
        let is_end = shares.iter().all(|share| share.places.is_empty() && share.is_whole);
        if is_end {
            page.next = None;
        }
        Ok(page)
    }

    /// Reads the next places of some partitions.
    async fn read_shares(
        &self,
        name: &str,
        from: Option<&str>,
        shares: &mut [Share],
        which: &[usize],
        count: usize,
    ) -> Result<(), StoreError> {
        let reads = which.iter().filter_map(|at| {
            let partition = Partition(u16::try_from(*at).ok()?);
            let keys = Keys::of(self.link.prefix(), partition)?;
            let least = match shares.get(*at)?.last.as_deref().or(from) {
                Some(last) => format!("({name}{last}"),
                None => format!("[{name}"),
            };
            let mut command = redis::cmd("ZRANGEBYLEX");
            // No name and no place has a character after `~`.
            command.arg(keys.lists()).arg(least).arg(format!("[{name}~"));
            command.arg("LIMIT").arg(0).arg(count);
            Some(async move { (*at, self.link.read(partition, command).await) })
        });
        for (at, found) in join_all(reads.collect::<Vec<_>>()).await {
            let found = list(found.map_err(|fault| fault.of_all())?).unwrap_or_default();
            let Some(share) = shares.get_mut(at) else { continue };
            share.is_whole = found.len() < count;
            let places = found.into_iter().filter_map(text);
            share
                .places
                .extend(places.filter_map(|place| Some(place.strip_prefix(name)?.to_owned())));
            share.last = share.places.back().cloned().or(share.last.take());
        }
        Ok(())
    }

    /// What lists show of tables, in the order given; those that are gone are left out.
    async fn listed(&self, ids: &[TableId]) -> Result<Vec<ListedTable>, StoreError> {
        let heads = self.heads(ids, &LISTED, Lasting::AsPromised).await?;
        let read = |id: &TableId, mut parts: Parts| {
            Some(ListedTable {
                id: id.clone(),
                version: Version(parts.number()?),
                tenant: parts.text()?.parse().ok()?,
                state: ListedState(u8::try_from(parts.number()?).ok()?),
                summary: parts.bytes()?.into(),
                created_at: parts.millis()?,
                at: parts.millis()?,
            })
        };
        Ok(ids.iter().zip(heads).filter_map(|(id, head)| read(id, head?)).collect())
    }

    /// The same fields of many tables, in the order given.
    pub(super) async fn heads(
        &self,
        ids: &[TableId],
        fields: &[&str],
        lasting: Lasting,
    ) -> Result<Vec<Option<Parts>>, StoreError> {
        let mut of: BTreeMap<Partition, Vec<usize>> = BTreeMap::new();
        for (at, id) in ids.iter().enumerate() {
            of.entry(partition_of(id)).or_default().push(at);
        }
        let calls = of.iter().map(|(partition, places)| async move {
            let keys = Keys::of(self.link.prefix(), *partition);
            let state = |at: &usize| Some(keys.as_ref()?.state(ids.get(*at)?));
            let names: Vec<String> = places.iter().filter_map(state).collect();
            let call = Call::new(&HEADS, &names).arg(fields);
            (places, self.link.call(*partition, call, Again::Safe, lasting).await)
        });
        let mut heads: Vec<Option<Parts>> = Vec::new();
        heads.resize_with(ids.len(), || None);
        for (places, answered) in join_all(calls).await {
            let value = answered.map_err(|fault| fault.of_all())?.value;
            for (at, head) in places.iter().zip(list(value).unwrap_or_default()) {
                if let Some(place) = heads.get_mut(*at) {
                    *place = Parts::of(head);
                }
            }
        }
        Ok(heads)
    }

    pub(super) async fn deadlines_due(
        &self,
        partition: Partition,
        limit: usize,
    ) -> Result<Vec<DeadlineDue>, StoreError> {
        let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok(Vec::new()) };
        let call = Call::new(&DUE, &[keys.deadlines()]).arg(self.time.told()).arg(limit);
        let answered = self.link.call(partition, call, Again::Safe, Lasting::Not).await;
        let found = list(answered.map_err(|fault| fault.of_all())?.value).unwrap_or_default();
        let ids: Vec<TableId> = found.into_iter().filter_map(|id| text(id)?.parse().ok()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let heads = self.heads(&ids, &["v", "d"], Lasting::Not).await?;
        let due = |(table, head): (TableId, Option<Parts>)| {
            let mut head = head?;
            let version = Version(head.number()?);
            Some(DeadlineDue { table, deadline: Millis(head.number()?), version })
        };
        Ok(ids.into_iter().zip(heads).filter_map(due).collect())
    }

    pub(super) async fn outbox(
        &self,
        partition: Partition,
        after: OutboxCursor,
        limit: usize,
    ) -> Result<OutboxPage, StoreError> {
        let Some(keys) = Keys::of(self.link.prefix(), partition) else {
            return Ok(OutboxPage::Entries(Vec::new()));
        };
        let first = after.0.saturating_add(1);
        let call = Call::new(&SAID, &[keys.outbox(), keys.numbers()]).arg(first).arg(limit);
        let answered = self.link.call(partition, call, Again::Safe, Lasting::AsPromised).await;
        let value = answered.map_err(|fault| fault.of_all())?.value;
        let away = StoreError::Unavailable { retry_after: RETRY_AFTER };
        let mut parts = Parts::of(value).ok_or(away)?;
        let newest = parts.number().unwrap_or(0);
        let oldest = parts.text().and_then(|name| entry_number(&name));
        // A reader from elsewhere, or one from before a failover, is ahead of what there is.
        if after.0 > newest {
            return Ok(OutboxPage::Gone { resume: OutboxCursor(newest) });
        }
        let oldest = oldest.unwrap_or(newest + 1);
        if first < oldest {
            return Ok(OutboxPage::Gone { resume: OutboxCursor(oldest - 1) });
        }
        let mut entries = Vec::new();
        for value in parts.value().and_then(list).unwrap_or_default() {
            entries.push(read_said(value)?);
        }
        Ok(OutboxPage::Entries(entries))
    }

    /// Whether any server takes changes: while one of a cluster is replaced, the tables of the others
    /// are played.
    pub(super) async fn healthy(&self) -> Result<(), StoreError> {
        let map = self.link.routes().some_map().await.map_err(|fault| fault.of_all())?;
        let writes = map.samples().into_iter().map(|partition| async move {
            let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok(()) };
            let mut command = redis::cmd("SET");
            command.arg(keys.probe()).arg(1).arg("PX").arg(60_000);
            let sent = self.link.send(partition, command, Again::Safe, Lasting::AsPromised).await;
            sent.map(drop)
        });
        of_some(join_all(writes).await).map(drop)
    }

    /// How many tables there are, as far as servers can be asked, and whether all could.
    pub(super) async fn count_tables(&self) -> Result<(usize, Counted), StoreError> {
        let counts = partitions().map(|partition| async move {
            let Some(keys) = Keys::of(self.link.prefix(), partition) else { return Ok(Value::Nil) };
            let mut command = redis::cmd("ZLEXCOUNT");
            command.arg(keys.lists()).arg("[a").arg("[a~");
            self.link.read(partition, command).await
        });
        let counts = of_some(join_all(counts).await)?;
        let counted = match counts.len() == usize::from(PARTITIONS) {
            true => Counted::All,
            false => Counted::Some,
        };
        let n_tables: u64 = counts.into_iter().filter_map(super::reply::number).sum();
        Ok((usize::try_from(n_tables).unwrap_or(usize::MAX), counted))
    }
}

fn read_said(value: Value) -> Result<OutboxEntry, StoreError> {
    let away = StoreError::Unavailable { retry_after: RETRY_AFTER };
    let read = || {
        let (number, mut fields) = entry(value)?;
        let table: TableId = fields.text()?.parse().ok()?;
        let (version, at) = (Version(fields.number()?), fields.millis()?);
        Some((OutboxCursor(number), table, version, at, fields.bytes()?))
    };
    let (cursor, table, version, at, sealed) = read().ok_or(away)?;
    match Place::Outbox(&table, version).open(sealed) {
        Some(body) => Ok(OutboxEntry { cursor, table, version, at, body }),
        None => Err(StoreError::Corrupt { table, what: DamagedPart::Outbox }),
    }
}
