//! A store, and what is told of it: how long each operation took, and a span for it.
//!
//! **Invariant:** what is asked and answered is passed on as it is. Of a table only its id is told,
//! and only in spans.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handfoot_store::{
    ClaimTurns, Commit, CommitOutcome, Confirmed, CreateOutcome, DeadlineDue, Deleted, History,
    Lease, LeaseOutcome, ListCursor, ListFilter, ListPage, Loaded, Mark, NewTable, OutboxCursor,
    OutboxPage, Partition, StoreFuture, TableId, TableStore, TurnDue, Version, Wakeups,
};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::metrics::{Metrics, Operation, result_of};

/// A store of which is told what it does.
#[derive(Debug)]
pub struct ObservedStore {
    inner: Arc<dyn TableStore>,
    metrics: Metrics,
}

impl ObservedStore {
    /// Tells of a store.
    #[must_use]
    pub fn new(inner: Arc<dyn TableStore>, metrics: Metrics) -> ObservedStore {
        ObservedStore { inner, metrics }
    }

    fn observe<'a, T: Send + 'a>(
        &'a self,
        operation: Operation,
        span: Span,
        call: impl FnOnce(&'a dyn TableStore) -> StoreFuture<'a, T>,
    ) -> StoreFuture<'a, T> {
        // A store may begin before it is waited for.
        let begun = Instant::now();
        let answer = span.in_scope(|| call(&*self.inner));
        let told = async move {
            let answer = answer.await;
            let result = result_of(&answer);
            self.metrics.stored(operation, result, begun);
            if answer.is_err() {
                Span::current().record("error.type", result).record("otel.status_code", "ERROR");
            }
            answer
        };
        Box::pin(told.instrument(span))
    }
}

/// The span of an operation, if it is part of a call: what the service does by itself, such as
/// looking after the store, would begin traces that nobody asked for.
fn span(operation: Operation, table: Option<&TableId>) -> Span {
    if Span::current().is_disabled() {
        return Span::none();
    }
    let span = tracing::debug_span!(
        "store",
        otel.name = Empty,
        otel.kind = "client",
        otel.status_code = Empty,
        db.operation.name = operation.name(),
        handfoot.table_id = Empty,
        error.type = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", format!("store {}", operation.name()));
        if let Some(table) = table {
            span.record("handfoot.table_id", table.as_str());
        }
    }
    span
}

impl TableStore for ObservedStore {
    fn create(&self, new: NewTable) -> StoreFuture<'_, CreateOutcome> {
        let span = span(Operation::Create, Some(&new.id));
        self.observe(Operation::Create, span, |store| store.create(new))
    }

    fn load<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        let span = span(Operation::Load, Some(table));
        self.observe(Operation::Load, span, |store| store.load(table))
    }

    fn glance<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        let span = span(Operation::Glance, Some(table));
        self.observe(Operation::Glance, span, |store| store.glance(table))
    }

    fn confirm<'a>(&'a self, table: &'a TableId, mark: Mark) -> StoreFuture<'a, Confirmed> {
        let span = span(Operation::Confirm, Some(table));
        self.observe(Operation::Confirm, span, move |store| store.confirm(table, mark))
    }

    fn commit(&self, commit: Commit) -> StoreFuture<'_, CommitOutcome> {
        let span = span(Operation::Commit, Some(&commit.table));
        self.observe(Operation::Commit, span, |store| store.commit(commit))
    }

    fn history<'a>(
        &'a self,
        table: &'a TableId,
        from: Version,
        limit: usize,
    ) -> StoreFuture<'a, History> {
        let span = span(Operation::History, Some(table));
        self.observe(Operation::History, span, move |store| store.history(table, from, limit))
    }

    fn watch<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Wakeups>> {
        let span = span(Operation::Watch, Some(table));
        self.observe(Operation::Watch, span, |store| store.watch(table))
    }

    fn partitions(&self) -> u16 {
        self.inner.partitions()
    }

    fn deadlines_due(
        &self,
        partition: Partition,
        limit: usize,
    ) -> StoreFuture<'_, Vec<DeadlineDue>> {
        let span = span(Operation::DeadlinesDue, None);
        self.observe(Operation::DeadlinesDue, span, move |store| {
            store.deadlines_due(partition, limit)
        })
    }

    fn claim_turns(&self, claim: ClaimTurns) -> StoreFuture<'_, Vec<TurnDue>> {
        let span = span(Operation::ClaimTurns, None);
        self.observe(Operation::ClaimTurns, span, |store| store.claim_turns(claim))
    }

    fn renew_turn<'a>(
        &'a self,
        lease: &'a Lease,
        length: Duration,
    ) -> StoreFuture<'a, LeaseOutcome> {
        let span = span(Operation::RenewTurn, Some(&lease.table));
        self.observe(Operation::RenewTurn, span, move |store| store.renew_turn(lease, length))
    }

    fn release_turn<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, LeaseOutcome> {
        let span = span(Operation::ReleaseTurn, Some(&lease.table));
        self.observe(Operation::ReleaseTurn, span, |store| store.release_turn(lease))
    }

    fn work_wanted(&self) -> StoreFuture<'_, ()> {
        // It waits for others: how long says nothing of the store.
        self.inner.work_wanted()
    }

    fn outbox(
        &self,
        partition: Partition,
        after: OutboxCursor,
        limit: usize,
    ) -> StoreFuture<'_, OutboxPage> {
        let span = span(Operation::Outbox, None);
        self.observe(Operation::Outbox, span, move |store| store.outbox(partition, after, limit))
    }

    fn list(
        &self,
        filter: ListFilter,
        after: Option<ListCursor>,
        limit: usize,
    ) -> StoreFuture<'_, ListPage> {
        let span = span(Operation::List, None);
        self.observe(Operation::List, span, move |store| store.list(filter, after, limit))
    }

    fn delete<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Deleted> {
        let span = span(Operation::Delete, Some(table));
        self.observe(Operation::Delete, span, |store| store.delete(table))
    }

    fn healthy(&self) -> StoreFuture<'_, ()> {
        let span = span(Operation::Healthy, None);
        self.observe(Operation::Healthy, span, |store| store.healthy())
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests {
    /// What the contract does by itself where a store does not do otherwise would do that here,
    /// whatever the store behind does.
    #[test]
    fn every_operation_of_the_contract_is_passed_on() {
        let names = |text: &'static str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix("    fn "));
            lines.filter_map(|line| line.split(['(', '<']).next()).collect::<Vec<_>>()
        };
        let contract = names(include_str!("../../../crates/store/src/store.rs"));
        let here = names(include_str!("observed_store.rs"));
        assert!(contract.len() > 15, "{contract:?}");
        for name in contract {
            assert!(here.contains(&name), "{name}");
        }
    }
}
