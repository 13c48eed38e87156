//! The heads of all tables, and the orders in which they are asked for.
//!
//! **Invariant:** every order follows from the heads, so it is rebuilt from them at a start. What
//! is in here may be shown: a change comes in when it will survive.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use crate::head::Head;
use crate::limits::LIST_SCAN_MAX;
use crate::queues::Queues;
use crate::{
    ClaimTurns, DamagedPart, DeadlineDue, LeaseUse, ListCursor, ListFilter, ListPage, ListedTable,
    Millis, StoreError, TableId, Tenant, Tenants, TurnDue,
};

/// A table's place in lists: newest first.
type Place = (Reverse<Millis>, TableId);

/// All tables.
#[derive(Debug)]
pub(crate) struct Index {
    heads: BTreeMap<TableId, Arc<Head>>,
    /// Tables whose record could not be read.
    damaged: BTreeMap<TableId, DamagedPart>,
    newest: BTreeSet<Place>,
    newest_of: BTreeMap<Tenant, BTreeSet<Place>>,
    deadlines: BTreeSet<(Millis, TableId)>,
    pub(crate) queues: Queues,
}

impl Index {
    /// The index of an empty store that is opened for the so-many-th time.
    pub(crate) const fn new(opening: u64) -> Self {
        Self {
            heads: BTreeMap::new(),
            damaged: BTreeMap::new(),
            newest: BTreeSet::new(),
            newest_of: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            queues: Queues::new(opening),
        }
    }

    /// How many tables there are, damaged ones included.
    pub(crate) fn n_tables(&self) -> usize {
        self.heads.len() + self.damaged.len()
    }

    /// The head of a table.
    pub(crate) fn head(&self, table: &TableId) -> Result<Option<&Arc<Head>>, StoreError> {
        match self.damaged.get(table) {
            None => Ok(self.heads.get(table)),
            Some(what) => Err(StoreError::Corrupt { table: table.clone(), what: *what }),
        }
    }

    /// Notes a table whose record cannot be read.
    pub(crate) fn damage(&mut self, table: TableId, what: DamagedPart) {
        self.damaged.insert(table, what);
    }

    /// Puts a head in the place of the one before it.
    pub(crate) fn put(&mut self, table: &TableId, head: &Arc<Head>) {
        let old = self.heads.insert(table.clone(), head.clone());
        if old.is_none() {
            let place = (Reverse(head.created_at), table.clone());
            self.newest_of.entry(head.tenant.clone()).or_default().insert(place.clone());
            self.newest.insert(place);
        }
        let old_deadline = old.as_ref().and_then(|old| old.deadline);
        if old_deadline != head.deadline {
            self.move_deadline(table, old_deadline, head.deadline);
        }
        let old_turns = old.as_ref().map_or(&[][..], |old| &old.turns);
        self.queues.replace(table, &head.tenant, old_turns, &head.turns);
    }

    /// Renews the lease under which a commit was made.
    pub(crate) fn renew(&mut self, lease: &LeaseUse, now: Millis) {
        match lease {
            LeaseUse::None => {}
            LeaseUse::Held { lease, length } => {
                self.queues.renew(lease, now, now.after(*length));
            }
        }
    }

    /// Takes a table out.
    pub(crate) fn remove(&mut self, table: &TableId) {
        self.damaged.remove(table);
        let Some(head) = self.heads.remove(table) else { return };
        let place = (Reverse(head.created_at), table.clone());
        self.newest.remove(&place);
        if let Some(of_tenant) = self.newest_of.get_mut(&head.tenant) {
            of_tenant.remove(&place);
            if of_tenant.is_empty() {
                self.newest_of.remove(&head.tenant);
            }
        }
        self.move_deadline(table, head.deadline, None);
        self.queues.replace(table, &head.tenant, &head.turns, &[]);
    }

    /// Deadlines that have passed, oldest first.
    pub(crate) fn deadlines_due(&self, now: Millis, limit: usize) -> Vec<DeadlineDue> {
        let passed = self.deadlines.iter().take_while(|(deadline, _)| *deadline <= now).take(limit);
        let due = |(deadline, table): &(Millis, TableId)| {
            let version = self.heads.get(table)?.mark.version;
            Some(DeadlineDue { table: table.clone(), deadline: *deadline, version })
        };
        passed.filter_map(due).collect()
    }

    /// Claims turns.
    pub(crate) fn claim(&mut self, claim: &ClaimTurns, now: Millis, limit: usize) -> Vec<TurnDue> {
        let leases = self.queues.claim(claim, now, limit);
        let due = |lease: crate::Lease| {
            let version = self.heads.get(&lease.table)?.mark.version;
            self.queues.due(lease, version)
        };
        leases.into_iter().filter_map(due).collect()
    }

    /// One page of a list.
    pub(crate) fn list(
        &self,
        filter: &ListFilter,
        after: Option<ListCursor>,
        limit: usize,
    ) -> ListPage {
        let places = match &filter.tenants {
            Tenants::All => Some(&self.newest),
            Tenants::One(tenant) => self.newest_of.get(tenant),
        };
        let Some(places) = places else { return ListPage { tables: Vec::new(), next: None } };
        let start = match after {
            Some(cursor) => Bound::Excluded((Reverse(cursor.created_at), cursor.id)),
            None => Bound::Unbounded,
        };
        let mut tables = Vec::new();
        let mut rest = places.range((start, Bound::Unbounded)).peekable();
        let mut next = None;
        for (created_at, id) in rest.by_ref().take(LIST_SCAN_MAX) {
            next = Some(ListCursor { created_at: created_at.0, id: id.clone() });
            let Some(head) = self.heads.get(id) else { continue };
            if filter.state.is_none_or(|state| state == head.state) {
                tables.push(listed(id, head));
            }
            if tables.len() == limit {
                break;
            }
        }
        ListPage { tables, next: next.filter(|_| rest.peek().is_some()) }
    }

    fn move_deadline(&mut self, table: &TableId, old: Option<Millis>, new: Option<Millis>) {
        if let Some(deadline) = old {
            self.deadlines.remove(&(deadline, table.clone()));
        }
        if let Some(deadline) = new {
            self.deadlines.insert((deadline, table.clone()));
        }
    }
}

fn listed(id: &TableId, head: &Head) -> ListedTable {
    ListedTable {
        id: id.clone(),
        tenant: head.tenant.clone(),
        state: head.state,
        summary: head.summary.clone(),
        version: head.mark.version,
        created_at: head.created_at,
        at: head.at,
    }
}
