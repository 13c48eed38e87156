//! Turns that wait for workers, and who holds them.
//!
//! **Invariant:** a turn of a seat has at most one holder, and a claim's token is never used
//! again. Claims are not kept over a restart: tokens begin with the number of the opening, so a
//! holder from before is refused.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ClaimTurns, Lease, LeaseOutcome, Millis, Queue, TableId, Tenant, Tenants, Token, TurnDue,
    TurnWanted,
};

/// Bits of a token that count claims; those above are the number of the opening.
const TOKEN_BITS: u32 = 40;

/// A claim on one seat's turn.
#[derive(Clone, Copy, Debug)]
struct Claim {
    token: Token,
    until: Millis,
}

/// One turn's place in line: when it can be taken, where, and which seat's it is.
type Place = (Millis, TableId, u8);

/// All turns owed.
#[derive(Debug)]
pub(crate) struct Queues {
    lines: BTreeMap<(Tenant, Queue), BTreeSet<Place>>,
    turns: BTreeMap<(TableId, u8), (Tenant, TurnWanted)>,
    claims: BTreeMap<(TableId, u8), Claim>,
    next_token: u64,
}

impl Queues {
    /// Empty queues of a store that is opened for the so-many-th time.
    pub(crate) const fn new(opening: u64) -> Self {
        Self {
            lines: BTreeMap::new(),
            turns: BTreeMap::new(),
            claims: BTreeMap::new(),
            next_token: (opening << TOKEN_BITS) + 1,
        }
    }

    /// Replaces the turns that a table owes. A seat that stays in its queue keeps its claim.
    pub(crate) fn replace(
        &mut self,
        table: &TableId,
        tenant: &Tenant,
        old: &[TurnWanted],
        new: &[TurnWanted],
    ) {
        if old == new {
            return;
        }
        for turn in old {
            let stays = new.iter().any(|n| n.seat == turn.seat && n.queue == turn.queue);
            self.unlink(table, turn.seat);
            if !stays {
                self.claims.remove(&(table.clone(), turn.seat));
            }
        }
        for turn in new {
            self.link(table, tenant, *turn);
        }
    }

    /// Whether a lease is held.
    pub(crate) fn is_held(&self, lease: &Lease, now: Millis) -> bool {
        let claim = self.claims.get(&(lease.table.clone(), lease.seat));
        claim.is_some_and(|claim| claim.token == lease.token && now < claim.until)
    }

    /// Claims turns that can be taken now, each tenant in its turn.
    pub(crate) fn claim(&mut self, claim: &ClaimTurns, now: Millis, limit: usize) -> Vec<Lease> {
        let until = now.after(claim.length);
        let chosen = self.chosen(claim, now, limit);
        chosen.into_iter().map(|(table, seat)| self.take(table, seat, until)).collect()
    }

    /// Which turns to claim: each tenant's oldest in turn.
    fn chosen(&self, claim: &ClaimTurns, now: Millis, limit: usize) -> Vec<(TableId, u8)> {
        let is_wanted = |(tenant, queue): &(Tenant, Queue)| {
            let is_tenant = match &claim.tenants {
                Tenants::All => true,
                Tenants::One(one) => one == tenant,
            };
            is_tenant && claim.queues.contains(queue)
        };
        let mut ready_of: BTreeMap<&Tenant, BTreeSet<&Place>> = BTreeMap::new();
        for (key, line) in self.lines.iter().filter(|(key, _)| is_wanted(key)) {
            let ready = line.iter().take_while(|(at, ..)| *at <= now).take(limit);
            ready_of.entry(&key.0).or_default().extend(ready);
        }
        let mut shares: Vec<BTreeSet<&Place>> = ready_of.into_values().collect();
        shares.sort();
        let mut chosen = Vec::new();
        while chosen.len() < limit {
            let round = shares.iter_mut().filter_map(BTreeSet::pop_first);
            let before = chosen.len();
            chosen
                .extend(round.take(limit - before).map(|(_, table, seat)| (table.clone(), *seat)));
            if chosen.len() == before {
                break;
            }
        }
        chosen
    }

    /// The turn behind a claim that was just made.
    pub(crate) fn due(&self, lease: Lease, version: crate::Version) -> Option<TurnDue> {
        let key = (lease.table.clone(), lease.seat);
        let (tenant, turn) = self.turns.get(&key)?;
        let until = self.claims.get(&key)?.until;
        Some(TurnDue { lease, until, queue: turn.queue, tenant: tenant.clone(), version })
    }

    /// Makes a lease that is held end at another time.
    pub(crate) fn renew(&mut self, lease: &Lease, now: Millis, until: Millis) -> LeaseOutcome {
        if !self.is_held(lease, now) {
            return LeaseOutcome::Lost;
        }
        self.hold(&lease.table, lease.seat, Claim { token: lease.token, until });
        LeaseOutcome::Held { until }
    }

    /// Gives a lease back.
    pub(crate) fn release(&mut self, lease: &Lease, now: Millis) -> LeaseOutcome {
        if !self.is_held(lease, now) {
            return LeaseOutcome::Lost;
        }
        let key = (lease.table.clone(), lease.seat);
        let turn = self.unlink(&lease.table, lease.seat);
        self.claims.remove(&key);
        if let Some((tenant, turn)) = turn {
            self.link(&lease.table, &tenant, turn);
        }
        LeaseOutcome::Held { until: now }
    }

    fn take(&mut self, table: TableId, seat: u8, until: Millis) -> Lease {
        let token = Token(self.next_token);
        self.next_token += 1;
        self.hold(&table, seat, Claim { token, until });
        Lease { table, seat, token }
    }

    /// Sets a claim and moves its turn to the claim's end.
    fn hold(&mut self, table: &TableId, seat: u8, claim: Claim) {
        let turn = self.unlink(table, seat);
        self.claims.insert((table.clone(), seat), claim);
        if let Some((tenant, turn)) = turn {
            self.link(table, &tenant, turn);
        }
    }

    fn link(&mut self, table: &TableId, tenant: &Tenant, turn: TurnWanted) {
        let key = (table.clone(), turn.seat);
        let at = self.takeable_at(&key, turn);
        let line = self.lines.entry((tenant.clone(), turn.queue)).or_default();
        line.insert((at, table.clone(), turn.seat));
        self.turns.insert(key, (tenant.clone(), turn));
    }

    /// When a turn can be taken: neither before its time nor while it is held.
    fn takeable_at(&self, key: &(TableId, u8), turn: TurnWanted) -> Millis {
        let held_until = self.claims.get(key).map(|claim| claim.until);
        held_until.map_or(turn.takeable_at, |until| until.max(turn.takeable_at))
    }

    fn unlink(&mut self, table: &TableId, seat: u8) -> Option<(Tenant, TurnWanted)> {
        let key = (table.clone(), seat);
        let (tenant, turn) = self.turns.remove(&key)?;
        let at = self.takeable_at(&key, turn);
        let line_key = (tenant, turn.queue);
        if let Some(line) = self.lines.get_mut(&line_key) {
            line.remove(&(at, table.clone(), seat));
            if line.is_empty() {
                self.lines.remove(&line_key);
            }
        }
        Some((line_key.0, turn))
    }
}
