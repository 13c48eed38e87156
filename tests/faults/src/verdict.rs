//! The verdict, the same after every scenario: what was promised against what is there.
//!
//! **Invariant:** judges evidence and collects none, so that every finding has a test in which it
//! is made.

use std::collections::{BTreeMap, BTreeSet};

use handfoot_protocol::v1;
use v1::{SnapshotCause, TableState};

use crate::evidence::{Evidence, LogFault, Shown, TableEvidence, Turn};
use crate::ledger::{Answer, Item, Stamp, Viewer};

/// What must be true after a scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expect {
    pub(crate) loss: Loss,
    pub(crate) calls: Calls,
}

/// What may become of what was acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Nothing is lost.
    #[default]
    None,
    /// Something is lost, and whoever had seen it is told.
    Told,
}

/// What may become of calls, after all that the client does about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Calls {
    /// They may fail for a while.
    #[default]
    MayFail,
    /// None fails.
    NeverFail,
}

/// What is not as it was promised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Finding {
    #[error("table {table}: version {version} was acknowledged and is not there")]
    Missing { table: String, version: u64 },
    #[error("table {table}: version {version} was acknowledged with another chain")]
    OtherChain { table: String, version: u64 },
    #[error(
        "table {table}: {viewer:?} had seen version {version}, which is lost, and was not told"
    )]
    Untold { table: String, viewer: Viewer, version: u64 },
    #[error("nothing was lost, so that this shows nothing")]
    NothingLost,
    #[error("table {table}: the log goes from version {before} to {after}")]
    LogGap { table: String, before: u64, after: u64 },
    #[error("table {table}: the API shows another log than the store has, from entry {at} on")]
    OtherLog { table: String, at: usize },
    #[error("table {table}: request {request_id} was played {n} times")]
    DoublePlay { table: String, request_id: String, n: usize },
    #[error(
        "table {table}: request {request_id} was answered with version {version}, which it did not make"
    )]
    OtherRequest { table: String, request_id: String, version: u64 },
    #[error("table {table}: seat {seat} has {there} commits for {answered} decisions")]
    OtherCount { table: String, seat: u32, there: usize, answered: usize },
    #[error("table {table}: a seat drew twice in one turn, at version {version}")]
    SecondDraw { table: String, version: u64 },
    #[error("table {table}: {viewer:?} was given version {after} after {before}")]
    Gap { table: String, viewer: Viewer, before: u64, after: u64 },
    #[error("table {table}: {viewer:?} was given a snapshot ({cause:?}) in place of commits")]
    Snapshot { table: String, viewer: Viewer, cause: SnapshotCause },
    #[error("table {table}: {viewer:?} was given version {version} with another chain")]
    StreamedOther { table: String, viewer: Viewer, version: u64 },
    #[error("table {table}: {viewer:?} knows another table than the one that is there")]
    OtherView { table: String, viewer: Viewer },
    #[error("table {table}: {viewer:?} has not seen the end")]
    EndUnseen { table: String, viewer: Viewer },
    #[error("table {table}: the stream of {viewer:?} could not go on: {what}")]
    Broken { table: String, viewer: Viewer, what: String },
    #[error("table {table}: not finished, at version {version}")]
    Unfinished { table: String, version: u64 },
    #[error("table {table}: cannot be read: {what}")]
    Unreadable { table: String, what: String },
    #[error("table {table}: {what}")]
    Refused { table: String, what: String },
    #[error("table {table}: {n} calls failed, first with {what}")]
    FailedCall { table: String, n: usize, what: String },
    #[error("{log}: the process panicked")]
    Panic { log: String },
    #[error("{log}: a credential is in it")]
    Secret { log: String },
    #[error("{0}")]
    Own(String),
}

/// What was promised and is not there.
pub(crate) fn judge(evidence: &Evidence, expect: &Expect) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut n_lost = 0;
    for table in &evidence.tables {
        let mut case = Case { table, expect, findings: &mut findings };
        n_lost += case.judge();
    }
    if expect.loss == Loss::Told && n_lost == 0 {
        findings.push(Finding::NothingLost);
    }
    findings.extend(evidence.log_faults.iter().map(|(log, fault)| {
        let log = log.clone();
        match fault {
            LogFault::Panic => Finding::Panic { log },
            LogFault::Secret => Finding::Secret { log },
        }
    }));
    findings
}

/// How many of the commits that were acknowledged are not there.
pub(crate) fn n_lost(evidence: &Evidence) -> usize {
    evidence.tables.iter().map(|table| lost(table).len()).sum()
}

/// One table before the judge.
struct Case<'a> {
    table: &'a TableEvidence,
    expect: &'a Expect,
    findings: &'a mut Vec<Finding>,
}

impl Case<'_> {
    /// Judges the table; gives how many acknowledged commits are not there.
    fn judge(&mut self) -> usize {
        if let Some(what) = &self.table.unreadable {
            let (table, what) = (self.id(), what.clone());
            self.findings.push(Finding::Unreadable { table, what });
            return 0;
        }
        let table = self.table;
        self.log();
        let lost = lost(table);
        match self.expect.loss {
            Loss::None => self.nothing_lost(&lost),
            Loss::Told => self.loss_told(&lost),
        }
        self.requests(&lost);
        self.turns();
        for (viewer, items) in &table.notes.streams {
            self.stream(*viewer, items);
        }
        self.ends();
        self.calls();
        lost.len()
    }

    fn id(&self) -> String {
        self.table.id.clone()
    }

    /// The log has no gap, and the API shows it as it is.
    fn log(&mut self) {
        let mut before = 0;
        for logged in &self.table.log {
            let after = logged.stamp.version;
            if after != before + 1 {
                self.findings.push(Finding::LogGap { table: self.id(), before, after });
            }
            before = after;
        }
        let (stored, shown) = (&self.table.log, &self.table.shown);
        let same = stored.iter().zip(shown).take_while(|(s, a)| s.stamp == a.stamp).count();
        if same != stored.len() || same != shown.len() {
            self.findings.push(Finding::OtherLog { table: self.id(), at: same });
        }
    }

    fn nothing_lost(&mut self, lost: &[Stamp]) {
        for Stamp { version, .. } in lost {
            let (table, version) = (self.id(), *version);
            let is_there = self.table.log.iter().any(|logged| logged.stamp.version == version);
            self.findings.push(match is_there {
                true => Finding::OtherChain { table, version },
                false => Finding::Missing { table, version },
            });
        }
    }

    /// Whoever has seen what is lost has got a snapshot that says so.
    fn loss_told(&mut self, lost: &[Stamp]) {
        for (viewer, items) in &self.table.notes.streams {
            let mut seen = items.iter().enumerate().filter(|(_, item)| {
                let (Item::Commit(stamp) | Item::Snapshot { stamp, .. }) = item;
                lost.contains(stamp)
            });
            let Some((at, item)) = seen.next_back() else { continue };
            let is_told = items[at..].iter().any(|item| match item {
                Item::Snapshot { cause, .. } => *cause == SnapshotCause::HistoryDiverged,
                Item::Commit(_) => false,
            });
            if !is_told {
                let (Item::Commit(stamp) | Item::Snapshot { stamp, .. }) = item;
                let (table, viewer, version) = (self.id(), *viewer, stamp.version);
                self.findings.push(Finding::Untold { table, viewer, version });
            }
        }
    }

    /// Each decision is one commit, and the answer named that commit.
    fn requests(&mut self, lost: &[Stamp]) {
        let mut played: BTreeMap<&str, usize> = BTreeMap::new();
        for request_id in self.table.log.iter().filter_map(|logged| logged.request_id.as_deref()) {
            *played.entry(request_id).or_default() += 1;
        }
        for (request_id, n) in played.into_iter().filter(|(_, n)| *n > 1) {
            let (table, request_id) = (self.id(), request_id.to_owned());
            self.findings.push(Finding::DoublePlay { table, request_id, n });
        }
        let kept: Vec<&Answer> = self
            .table
            .notes
            .answers
            .iter()
            .filter(|answer| !lost.contains(&answer.stamp))
            .collect();
        for answer in &kept {
            let request_id = plain(&answer.request_id);
            let made = self.table.log.iter().any(|logged| {
                logged.stamp == answer.stamp
                    && logged.seat == answer.seat
                    && logged.request_id.as_ref() == Some(&request_id)
            });
            if !made {
                let (table, version) = (self.id(), answer.stamp.version);
                self.findings.push(Finding::OtherRequest { table, request_id, version });
            }
        }
        if self.table.state == TableState::Finished {
            self.counts(&kept);
        }
    }

    fn counts(&mut self, kept: &[&Answer]) {
        for &seat in &self.table.people {
            let there = self
                .table
                .log
                .iter()
                .filter(|logged| logged.seat == seat && logged.request_id.is_some());
            let there = there.count();
            let of_seat = kept.iter().filter(|answer| answer.seat == seat);
            let answered: BTreeSet<&str> =
                of_seat.map(|answer| answer.request_id.as_str()).collect();
            let answered = answered.len();
            if there != answered {
                let table = self.id();
                self.findings.push(Finding::OtherCount { table, seat, there, answered });
            }
        }
    }

    /// No seat draws twice in a turn. Within a commit, what replaces a red three comes by itself.
    fn turns(&mut self) {
        let mut drew: Option<u64> = None;
        for Shown { stamp, turns } in &self.table.shown {
            for turn in turns {
                match (turn, drew) {
                    (Turn::Began, _) => drew = None,
                    (Turn::Drew, Some(before)) if before != stamp.version => {
                        let (table, version) = (self.id(), stamp.version);
                        self.findings.push(Finding::SecondDraw { table, version });
                    }
                    (Turn::Drew, _) => drew = Some(stamp.version),
                }
            }
        }
    }

    /// What a viewer is given begins with a snapshot and goes on without a gap.
    fn stream(&mut self, viewer: Viewer, items: &[Item]) {
        let mut before: Option<u64> = None;
        for item in items {
            let table = self.id();
            match (item, before) {
                (Item::Snapshot { cause: SnapshotCause::Start, .. }, None) => {}
                (Item::Snapshot { cause: SnapshotCause::HistoryDiverged, .. }, Some(_))
                    if self.expect.loss == Loss::Told => {}
                (Item::Snapshot { cause, .. }, _) => {
                    self.findings.push(Finding::Snapshot { table, viewer, cause: *cause });
                }
                (Item::Commit(Stamp { version, .. }), Some(before)) if *version == before + 1 => {}
                (Item::Commit(Stamp { version, .. }), before) => {
                    let (before, after) = (before.unwrap_or(0), *version);
                    self.findings.push(Finding::Gap { table, viewer, before, after });
                }
            }
            let (Item::Snapshot { stamp, .. } | Item::Commit(stamp)) = item;
            before = Some(stamp.version);
        }
        self.streamed_is_logged(viewer, items);
    }

    /// What a viewer was given last of a version is what the log has of it; what it was given before
    /// it was told of a loss may have been lost.
    fn streamed_is_logged(&mut self, viewer: Viewer, items: &[Item]) {
        let mut newest: BTreeMap<u64, &Stamp> = BTreeMap::new();
        for item in items {
            let (Item::Snapshot { stamp, .. } | Item::Commit(stamp)) = item;
            match item {
                Item::Snapshot { cause: SnapshotCause::HistoryDiverged, .. } => newest.clear(),
                Item::Snapshot { .. } | Item::Commit(_) => {}
            }
            newest.insert(stamp.version, stamp);
        }
        for (version, stamp) in newest {
            let logged = self.table.log.iter().find(|logged| logged.stamp.version == version);
            if version > 0 && logged.is_none_or(|logged| logged.stamp != *stamp) {
                let table = self.id();
                self.findings.push(Finding::StreamedOther { table, viewer, version });
            }
        }
    }

    /// The game is over, and everybody has seen it as it is.
    fn ends(&mut self) {
        let table = self.table;
        if table.state != TableState::Finished {
            let (table, version) = (self.id(), table.version);
            self.findings.push(Finding::Unfinished { table, version });
            return;
        }
        for (viewer, what) in &table.notes.broken {
            let (table, viewer, what) = (self.id(), *viewer, what.clone());
            self.findings.push(Finding::Broken { table, viewer, what });
        }
        for viewer in table.notes.streams.keys().filter(|v| !table.notes.broken.contains_key(v)) {
            let (id, viewer) = (self.id(), *viewer);
            match (table.notes.known.get(&viewer), table.views.get(&viewer.seat)) {
                (Some(known), Some(there)) if known.stamp.version == table.version => {
                    if (&known.view, &known.stamp) != (&there.view, &there.stamp) {
                        self.findings.push(Finding::OtherView { table: id, viewer });
                    }
                }
                (Some(_) | None, _) => {
                    self.findings.push(Finding::EndUnseen { table: id, viewer });
                }
            }
        }
    }

    fn calls(&mut self) {
        let notes = &self.table.notes;
        for what in &notes.refused {
            let (table, what) = (self.id(), what.clone());
            self.findings.push(Finding::Refused { table, what });
        }
        match (self.expect.calls, notes.failures.first()) {
            (Calls::NeverFail, Some(first)) => {
                let (n, what) = (notes.failures.len(), first.what.clone());
                self.findings.push(Finding::FailedCall { table: self.id(), n, what });
            }
            (Calls::NeverFail, None) | (Calls::MayFail, _) => {}
        }
    }
}

/// What was acknowledged, by an answer or a stream, and is not in the log as it was.
fn lost(table: &TableEvidence) -> Vec<Stamp> {
    let answers = table.notes.answers.iter().map(|answer| &answer.stamp);
    let items = table.notes.streams.values().flatten();
    let items = items.map(|item| {
        let (Item::Snapshot { stamp, .. } | Item::Commit(stamp)) = item;
        stamp
    });
    let mut lost: Vec<Stamp> = Vec::new();
    for stamp in answers.chain(items).filter(|stamp| stamp.version > 0) {
        let at = table.log.binary_search_by_key(&stamp.version, |logged| logged.stamp.version);
        let is_there = at.is_ok_and(|at| table.log[at].stamp == *stamp);
        if !is_there && !lost.contains(stamp) {
            lost.push(stamp.clone());
        }
    }
    lost
}

/// A request id as the log has it.
fn plain(request_id: &str) -> String {
    request_id.chars().filter(|c| *c != '-').collect()
}

#[cfg(test)]
mod tests;
